/** The thread of searches: reading and matching thousands of lines must not delay the main process. */
import { parentPort, workerData } from 'node:worker_threads'
import { type SearchThreadData, searchWorker } from './search-worker.ts'

const answer = searchWorker(workerData as SearchThreadData, (message) => parentPort?.postMessage(message))
parentPort?.on('message', answer)
