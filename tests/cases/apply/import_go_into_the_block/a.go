package a

import (
	"fmt"
	"strings"
)

func P(s string) {
	fmt.Println(strings.ToUpper(s))
}
