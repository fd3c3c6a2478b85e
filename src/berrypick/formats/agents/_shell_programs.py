"""Names of programs that may be shown in counts.

Commands hold secrets, and what comes first in one need not be a program: it may be a key that somebody pasted, or a
line of a text that the shell never ran. Names that are not here are counted together.
"""

PROGRAMS = frozenset(
    [
        "R", "alembic", "ansible", "apply_patch", "applypatch", "apt", "apt-get", "awk", "aws", "az", "base64",
        "basename", "bash", "bat", "bazel", "black", "brew", "bun", "bundle", "bunzip2", "bzip2", "cargo", "cat",
        "cd", "chmod", "chown", "clang", "clear", "cmake", "cmp", "comm", "composer", "conda", "coverage", "cp",
        "cron", "crontab", "curl", "cut", "cython", "date", "dd", "deno", "df", "diff", "dig", "dirname",
        "django-admin", "dmesg", "dnf", "docker", "docker-compose", "dotnet", "du", "echo", "egrep", "env", "eslint",
        "eval", "exec", "exit", "expand", "export", "expr", "false", "fd", "fdfind", "ffmpeg", "fgrep", "file",
        "find", "flake8", "fmt", "fold", "free", "fzf", "g++", "gawk", "gcc", "gcloud", "gdb", "gem", "getent", "gh",
        "ghc", "git", "gmake", "go", "gofmt", "gradle", "gradlew", "grep", "gunzip", "gzip", "head", "helm",
        "hexdump", "hg", "host", "hostname", "htop", "iconv", "id", "ifconfig", "ip", "isort", "java", "javac",
        "jest", "join", "jq", "jshell", "julia", "jupyter", "just", "kill", "killall", "kubectl", "ldd", "less", "ln",
        "locate", "ls", "lsof", "lua", "make", "man", "mawk", "md5sum", "meson", "mkdir", "mktemp", "mocha", "more",
        "mount", "mv", "mvn", "mypy", "mysql", "nano", "nc", "netstat", "nice", "ninja", "nl", "nm", "node", "nohup",
        "nox", "npm", "nproc", "npx", "objdump", "od", "openssl", "osascript", "patch", "perl", "perlbrew", "pgrep",
        "php", "phpunit", "pip", "pip3", "pipx", "pkill", "pnpm", "poetry", "popd", "pre-commit", "prettier",
        "printenv", "printf", "ps", "psql", "pushd", "pwd", "py.test", "pylint", "pypy", "pypy3", "pyright", "pytest",
        "pytest-3", "python", "python2", "python3", "rails", "rake", "read", "readelf", "readlink", "realpath",
        "rename", "rg", "rm", "rmdir", "rsync", "ruby", "ruff", "rustc", "rustup", "sbt", "scala", "scp", "scrapy",
        "screen", "sed", "seq", "set", "sh", "sha1sum", "sha256sum", "shellcheck", "shuf", "sleep", "sort", "source",
        "sphinx-build", "split", "sqlite3", "ssh", "stat", "strace", "strings", "su", "sudo", "svn", "swift",
        "systemctl", "tac", "tail", "tar", "tee", "terraform", "test", "time", "timeout", "tmux", "top", "touch",
        "tox", "tr", "trap", "tree", "true", "tsc", "tsort", "type", "ulimit", "umask", "uname", "unexpand", "uniq",
        "unittest", "unzip", "uptime", "uv", "uvx", "valgrind", "vi", "vim", "virtualenv", "vitest", "wait", "watch",
        "wc", "wget", "which", "who", "whoami", "xargs", "xmllint", "xxd", "xz", "yarn", "yes", "yq", "zcat", "zip",
        "zsh",
    ]
)  # fmt: skip
