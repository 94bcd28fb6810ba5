#error "an installed header shows zlib"
