#error "an installed header shows JSON"
