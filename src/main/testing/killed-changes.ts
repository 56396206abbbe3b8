/**
 * A process that is killed while an agent changes files: `killed-changes DATA PROJECT write|command`. A command in the
 * background has written a file by then. Prints nothing; the data folder has the rest.
 */
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createChangeJournal } from '../features/changes/change-journal.ts'
import { createNodeFileSystem } from '../platform/files/node-file-system.ts'
import { createGit } from '../platform/git/git-client.ts'
import { createShell } from '../platform/shell/create-shell.ts'
import { createSystemClock } from '../platform/system/machine-time.ts'
import { createTranscriptStore } from '../platform/transcripts/create-transcript-store.ts'
import { allIsDone, turnOf } from '../runtime/testing/scripts.ts'
import { createTestRuntime } from '../runtime/testing/test-runtime.ts'

const [data = '', folder = '', way] = process.argv.slice(2)
const environment = { PATH: process.env['PATH'] ?? '' }
const files = createNodeFileSystem()
const old = join(folder, 'old.txt')
const last =
  way === 'write'
    ? (['Write', { file_path: old, content: 'new and whole\n' }] as const)
    : (['Bash', { command: `echo half > half.txt; rm old.txt; kill -9 ${process.pid}; sleep 9` }] as const)

const { runtime, begin } = createTestRuntime({
  script: async (request) => {
    const turn = turnOf(request)
    if (turn === 1) return { calls: [['Read', { file_path: old }]] }
    if (turn === 2) {
      const command =
        'echo one > slow.txt; : > ready; for at in $(seq 3000); do [ -e go ] && break; sleep 0.02; done'
      return { calls: [['Bash', { command, run_in_background: true }]] }
    }
    while (!existsSync(join(folder, 'ready'))) await allIsDone()
    return { calls: [last] }
  },
  policy: { bypassAllowed: () => true },
  ports: {
    store: createTranscriptStore({ dataFolder: data, clock: createSystemClock() }),
    files: {
      ...files,
      async write(path) {
        writeFileSync(path, 'new and')
        process.kill(process.pid, 'SIGKILL')
        return new Promise(() => {})
      },
    },
    shell: createShell({ environment }).shell,
    changes: createChangeJournal({
      now: Date.now,
      git: createGit({ environment }),
      folderOf: (id) => join(data, 'kept', id),
    }),
  },
})
const id = await begin('Go', { folder, permissionMode: 'bypassPermissions' })
await runtime.settled(id)
