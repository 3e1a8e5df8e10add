def show():
    """Use:

    ```python
    show()
    ```
    """
    print(1)


def hide():
    pass
