// go run . call GET '/api/partner/v1/domains/search?q=solar'
// go run . call POST /api/partner/v1/orders order.json order-1
// go run . vectors < tasks        see ../README.md
package main

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"strings"
)

func call(arguments []string) error {
	method, target := arguments[0], arguments[1]
	var body []byte
	if len(arguments) > 2 {
		var err error
		if body, err = os.ReadFile(arguments[2]); err != nil {
			return err
		}
	}
	base := os.Getenv("PARTNER_URL")
	if base == "" {
		base = "http://127.0.0.1:4600"
	}
	request, err := http.NewRequest(method, base+target, bytes.NewReader(body))
	if err != nil {
		return err
	}
	headers, err := SignedHeaders(os.Getenv("PARTNER_KEY_ID"), os.Getenv("PARTNER_SECRET"), method, target, body)
	if err != nil {
		return err
	}
	for name, value := range headers {
		request.Header.Set(name, value)
	}
	if len(body) > 0 {
		request.Header.Set("Content-Type", "application/json")
	}
	if len(arguments) > 3 {
		request.Header.Set("Idempotency-Key", arguments[3])
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	fmt.Printf("%d %s\n", answer.StatusCode, text)
	return err
}

func decoded(field string) []byte {
	if field == "-" {
		return nil
	}
	value, err := base64.StdEncoding.DecodeString(field)
	if err != nil {
		log.Fatal(err)
	}
	return value
}

func vectors() error {
	tasks := bufio.NewReader(os.Stdin)
	for {
		line, err := tasks.ReadString('\n')
		if err == io.EOF {
			return nil
		}
		task := strings.Fields(line)
		if task[0] == "call" {
			canonical, err := CanonicalString(task[1], task[2], task[3], task[4], decoded(task[6]))
			if err != nil {
				return err
			}
			fmt.Println(base64.StdEncoding.EncodeToString([]byte(canonical)), Sign([]byte(canonical), decoded(task[5])))
		} else if IsSignedWebhook(decoded(task[3]), string(decoded(task[2])), decoded(task[1])) {
			fmt.Println("accepted")
		} else {
			fmt.Println("refused")
		}
	}
}

func main() {
	run := vectors
	if os.Args[1] == "call" {
		run = func() error { return call(os.Args[2:]) }
	}
	if err := run(); err != nil {
		log.Fatal(err)
	}
}
