/** A runtime whose main agent starts the example agent in a real folder, with the journal of changes. */

import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import {
  type ExternalAgentLaunch,
  plainDefinition,
} from '../../../../../shared/agent-definition/agent-definition.ts'
import { createNodeFileSystem } from '../../../../platform/files/node-file-system.ts'
import { createGit } from '../../../../platform/git/git-client.ts'
import { createShell } from '../../../../platform/shell/create-shell.ts'
import { createSystemClock } from '../../../../platform/system/machine-time.ts'
import type { Changes } from '../../../../runtime/ports/changes.ts'
import type { LoadedDefinition } from '../../../../runtime/ports/definitions.ts'
import { agentCall, script } from '../../../../runtime/testing/scripts.ts'
import {
  createTestRuntime,
  type TestOptions,
  type TestRuntime,
  testDefinitions,
} from '../../../../runtime/testing/test-runtime.ts'
import { createChangeJournal } from '../../../changes/change-journal.ts'
import { createChanges } from '../../../changes/changes-service.ts'
import type { ExternalAgentDeps } from '../backing-deps.ts'
import { createExternalAgents } from '../external-agent-backing.ts'

export const EXAMPLE_AGENT = join(import.meta.dirname, 'example-agent.ts')

export interface ExternalRuntimeOptions {
  readonly folder: string
  /** The folder of the kept content. */
  readonly data: string
  /** How the example agent behaves. */
  readonly mode: string
  /** The tasks of the agents that are started, side by side. */
  readonly tasks?: readonly string[]
  readonly program?: Partial<ExternalAgentLaunch>
  readonly definition?: Partial<LoadedDefinition>
  readonly test?: Partial<TestOptions>
  readonly deps?: Partial<ExternalAgentDeps>
}

export interface ExternalRuntime extends TestRuntime {
  readonly changes: Changes
  /** Begins a conversation. `agent`: its main agent, else a model that starts the program. @returns its id */
  start(options?: { readonly agent?: string }): Promise<string>
}

export function createExternalRuntime(options: ExternalRuntimeOptions): ExternalRuntime {
  const { folder, mode, tasks = ['outside'] } = options
  const outsider: LoadedDefinition = {
    ...plainDefinition('outsider', 'An external agent.'),
    source: 'user',
    file: null,
    prompt: 'You are careful.',
    program: { command: process.execPath, args: [EXAMPLE_AGENT, mode], env: {}, ...options.program },
    ...options.definition,
  }
  const clock = createSystemClock()
  const files = createNodeFileSystem()
  const git = createGit({ environment: { PATH: process.env['PATH'] ?? '' } })
  const journal = createChangeJournal({ git, now: clock.now, folderOf: (id) => join(options.data, id) })
  const commands = createShell({ environment: { PATH: process.env['PATH'] ?? '' } })
  const calls = tasks.map((task) => agentCall(task, { subagent_type: 'outsider', run_in_background: false }))
  const { ports, ...test } = options.test ?? {}
  const troupe = createTestRuntime({
    script: script([{ calls }, { text: 'Summed up.' }], () => ({ text: 'No model runs this agent.' })),
    definitions: [...testDefinitions, outsider],
    ports: { clock, files, changes: journal, ...ports },
    ...test,
    runtime: {
      programs: createExternalAgents({
        clock,
        files,
        journal,
        shell: commands.shell,
        variables: process.env,
        environment: { PATH: process.env['PATH'] ?? '' },
        trusted: () => true,
        ...options.deps,
      }),
      ...test.runtime,
    },
  })
  const changes = createChanges({
    git,
    store: ports?.store ?? troupe.store,
    runtime: troupe.runtime,
    journal,
    folder: options.data,
    limits: () => ({ days: 1, megabytes: 100 }),
    ...{ now: clock.now, newKey: randomUUID },
    onProblem: () => {},
  })
  return {
    ...troupe,
    changes,
    async start(main = {}) {
      const created = await troupe.runtime.dispatch({
        type: 'conversation.create',
        folder,
        model: 'sonnet',
        permissionMode: 'acceptEdits',
        ...main,
      })
      if (!created.ok) throw new Error(created.failure.message)
      await troupe.say(created.value.id, 'Go')
      return created.value.id
    },
  }
}
