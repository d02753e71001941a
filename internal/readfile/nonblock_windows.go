package readfile

const nonBlock = 0
