// The worker loop of River for the race: `driver migrate URL`, or `driver run URL WORKERS SECONDS`.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"
)

type Expand struct {
	Title string `json:"title"`
}

func (Expand) Kind() string { return "expand" }

type Worker struct {
	river.WorkerDefaults[Expand]
}

var done atomic.Int64

func (w *Worker) Work(ctx context.Context, job *river.Job[Expand]) error {
	done.Add(1)
	return nil
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func main() {
	ctx := context.Background()
	workers := 1
	if os.Args[1] == "run" {
		workers, _ = strconv.Atoi(os.Args[3])
	}
	config, err := pgxpool.ParseConfig(os.Args[2])
	check(err)
	config.MaxConns = int32(min(workers+4, 40))
	pool, err := pgxpool.NewWithConfig(ctx, config)
	check(err)
	defer pool.Close()
	driver := riverpgxv5.New(pool)
	if os.Args[1] == "migrate" {
		migrator, err := rivermigrate.New[pgx.Tx](driver, nil)
		check(err)
		_, err = migrator.Migrate(ctx, rivermigrate.DirectionUp, nil)
		check(err)
		return
	}
	seconds, err := strconv.ParseFloat(os.Args[4], 64)
	check(err)
	registered := river.NewWorkers()
	river.AddWorker(registered, &Worker{})
	client, err := river.NewClient(driver, &river.Config{
		Queues:            map[string]river.QueueConfig{river.QueueDefault: {MaxWorkers: workers}},
		Workers:           registered,
		FetchCooldown:     time.Millisecond,
		FetchPollInterval: time.Millisecond,
		Logger:            slog.New(slog.NewTextHandler(io.Discard, nil)),
	})
	check(err)
	begun := time.Now()
	check(client.Start(ctx))
	time.Sleep(time.Duration(seconds * float64(time.Second)))
	check(client.Stop(ctx))
	spent := time.Since(begun).Seconds()
	check(json.NewEncoder(os.Stdout).Encode(map[string]any{"items": done.Load(), "seconds": spent}))
}
