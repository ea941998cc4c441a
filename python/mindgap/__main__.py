"""The command line, where its extra is installed: `mindgap` or `python -m mindgap`."""

import sys


def main() -> None:
    """Run the command line, or say which extra it needs."""
    try:
        from mindgap.cli import run
    except ModuleNotFoundError as missing:
        if missing.name not in {"click", "rich"}:
            raise
        sys.exit(f"mindgap: the command line needs {missing.name}; install it with: pip install 'mindgap[cli]'")
    run()


if __name__ == "__main__":
    main()
