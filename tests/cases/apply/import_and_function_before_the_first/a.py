def last():
    return 1
