window.berry.begin();
