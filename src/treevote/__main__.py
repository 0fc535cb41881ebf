"""``python -m treevote``."""

from treevote.cli import main

if __name__ == "__main__":
    main()
