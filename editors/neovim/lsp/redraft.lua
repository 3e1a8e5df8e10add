return require('redraft.client').config()
