/**
 * A program without a window that leaves permission requests open: `node keep-open.ts FOLDER`. It begins a conversation
 * in the folder, and runs until it is killed.
 */
import { join } from 'node:path'
import { defaultSettings } from '../../shared/settings/settings.ts'
import { readEnvironment } from '../environment.ts'
import { composeRuntime } from '../features.ts'
import { beginConversation } from '../runtime/testing/event-watch.ts'
import { PROGRAM } from './program-file.ts'
import { withoutSandbox } from './without-sandbox.ts'

const ROOT = join(import.meta.dirname, '..', '..', '..')
const given = readEnvironment(process.env)
const folder = process.argv[2] ?? ''
const dataFolder = given.dataFolder ?? ''
const program = await composeRuntime({
  dataFolder,
  home: dataFolder,
  environment: given.forChildren,
  settings: { current: { ...defaultSettings, ...withoutSandbox, trustedFolders: [folder] } },
  agentsFolder: join(ROOT, 'agents'),
  docsFolder: join(ROOT, 'docs'),
  rehearsal: { pace: 0, scenarioFile: null },
  workerProgram: {
    command: [process.execPath, PROGRAM],
    environment: { ...given.forChildren, TROUPE_HOME: dataFolder },
    tmux: given.tmuxPane !== null,
  },
  onProblem: (message) => console.error(message),
})
const { key, authToken, baseUrl } = given.api
await program.switchAccess({ kind: 'api', key, authToken, baseUrl: baseUrl ?? '' })
await beginConversation(program.runtime, 'Go', { folder })
setInterval(() => {}, 60_000)
