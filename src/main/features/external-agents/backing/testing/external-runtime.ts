/** A runtime whose main agent starts the example agent. */

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

export interface OutsiderOptions {
  /** How the example agent behaves, and what it can do. */
  readonly mode: string
  readonly can?: readonly string[]
  /** The tasks of the agents that are started, side by side. */
  readonly tasks?: readonly string[]
  readonly program?: Partial<ExternalAgentLaunch>
  readonly definition?: Partial<LoadedDefinition>
  readonly test?: Partial<TestOptions>
  readonly deps?: Partial<ExternalAgentDeps>
}

export interface ExternalRuntimeOptions extends OutsiderOptions {
  readonly folder: string
  /** The folder of the kept content. */
  readonly data: string
}

export interface ExternalRuntime extends TestRuntime {
  readonly changes: Changes
  /** Begins a conversation. `agent`: its main agent, else a model that starts the program. @returns its id */
  start(options?: { readonly agent?: string }): Promise<string>
}

/** A runtime whose main agent starts the example agent, the agent `outsider`. */
export function createOutsiderRuntime(options: OutsiderOptions): TestRuntime {
  const { mode, can = [], tasks = ['outside'] } = options
  const outsider: LoadedDefinition = {
    ...plainDefinition('outsider', 'An external agent.'),
    source: 'user',
    file: null,
    prompt: 'You are careful.',
    program: { command: process.execPath, args: [EXAMPLE_AGENT, mode, ...can], env: {}, ...options.program },
    ...options.definition,
  }
  const clock = createSystemClock()
  const files = createNodeFileSystem()
  const calls = tasks.map((task) => agentCall(task, { subagent_type: 'outsider', run_in_background: false }))
  const { ports, ...test } = options.test ?? {}
  return createTestRuntime({
    script: script([{ calls }, { text: 'Summed up.' }], () => ({ text: 'No model runs this agent.' })),
    definitions: [...testDefinitions, outsider],
    ports: { clock, files, ...ports },
    ...test,
    runtime: {
      programs: createExternalAgents({
        clock,
        files,
        shell: createShell({ environment: { PATH: process.env['PATH'] ?? '' } }).shell,
        variables: process.env,
        environment: { PATH: process.env['PATH'] ?? '' },
        trusted: () => true,
        ...options.deps,
      }),
      ...test.runtime,
    },
  })
}

/** The same in a real folder, with the journal of changes. */
export function createExternalRuntime({ folder, data, ...options }: ExternalRuntimeOptions): ExternalRuntime {
  const { now } = createSystemClock()
  const git = createGit({ environment: { PATH: process.env['PATH'] ?? '' } })
  const journal = createChangeJournal({ git, now, folderOf: (id) => join(data, id) })
  const { test, deps } = options
  const troupe = createOutsiderRuntime({
    ...options,
    test: { ...test, ports: { changes: journal, ...test?.ports } },
    deps: { journal, ...deps },
  })
  const changes = createChanges({
    git,
    store: test?.ports?.store ?? troupe.store,
    runtime: troupe.runtime,
    journal,
    folder: data,
    limits: () => ({ days: 1, megabytes: 100 }),
    ...{ now, newKey: randomUUID },
    onProblem: () => {},
  })
  return {
    ...troupe,
    changes,
    start: (main = {}) => troupe.begin('Go', { folder, permissionMode: 'acceptEdits', ...main }),
  }
}
