"""Pages and boxes: formats of visual document retrieval, and what their programs compute."""
