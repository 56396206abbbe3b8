/**
 * A program whose external agent changes files, and which is killed then: `killed-program DATA PROJECT`. The data
 * folder has the rest.
 */
import { join } from 'node:path'
import { createSystemClock } from '../../../../platform/system/machine-time.ts'
import { createTranscriptStore } from '../../../../platform/transcripts/create-transcript-store.ts'
import { createExternalRuntime } from './external-runtime.ts'

const [data = '', folder = ''] = process.argv.slice(2)
const troupe = createExternalRuntime({
  folder,
  data: join(data, 'kept'),
  mode: 'changes',
  tasks: ['wait'],
  test: { ports: { store: createTranscriptStore({ dataFolder: data, clock: createSystemClock() }) } },
})
troupe.runtime.subscribe((delta) => {
  const isOver =
    delta.type === 'live' && delta.event.type === 'live-block' && delta.event.append.includes('Changed.')
  if (isOver) process.kill(process.pid, 'SIGKILL')
})
await troupe.start()
await new Promise(() => {
  setInterval(() => {}, 60_000)
})
