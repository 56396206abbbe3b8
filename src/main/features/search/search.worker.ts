/** The thread of searches: reading and matching thousands of lines must not delay the main process. */
import { parentPort, workerData } from 'node:worker_threads'
import { machineElapsed } from '../../platform/system/machine-time.ts'
import { type SearchThreadData, searchWorker } from './search-worker.ts'

const answer = searchWorker({ ...(workerData as SearchThreadData), elapsed: machineElapsed }, (message) =>
  parentPort?.postMessage(message),
)
parentPort?.on('message', answer)
