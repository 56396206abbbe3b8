/** Events of agents that external agents carry out, for tests of the window. */
import type { AgentEvent, EventOf } from '../../shared/events/agent-event.ts'
import type { SampleLog } from '../../shared/testing/sample-log.ts'

const PROGRAM = { name: '@makers/codex-acp', title: 'Codex', version: '2.6.0' }

export const MODE: EventOf<'program-options'>['options'][number] = {
  id: 'mode',
  name: 'Mode',
  category: 'mode',
  current: 'ask',
  values: [
    { id: 'ask', name: 'Always ask', description: 'asks before it writes' },
    { id: 'auto', name: 'Auto', description: '' },
  ],
}

export const MODEL: EventOf<'program-options'>['options'][number] = {
  ...MODE,
  id: 'model',
  name: 'Model',
  category: 'model',
  current: 'big',
  values: [
    { id: 'big', name: 'Big 5', description: '' },
    { id: 'small', name: 'Small 5', description: '' },
  ],
}

/** A definition that names a program. */
export function outside(event: EventOf<'agent-spawned'>): EventOf<'agent-spawned'> {
  const program = { command: 'codex-acp', args: ['--stdio'], env: {} }
  return { ...event, backing: 'acp', definition: { ...event.definition, program } }
}

/** A subagent that the program of `parentId` started by itself. */
export function childOf(
  script: SampleLog,
  agentId: string,
  { parentId, canStop }: { readonly parentId: string; readonly canStop: boolean },
): AgentEvent[] {
  const spawn = {
    ...outside(script.spawn(agentId, { parentId })),
    backing: 'acp-child',
    childSession: agentId,
  }
  return [
    spawn as AgentEvent,
    script.next(agentId, { type: 'child-changed', name: agentId, task: 'look', canStop }),
    script.status(agentId, 'running'),
  ]
}

export function connected(
  script: SampleLog,
  agentId: string,
  can: Partial<EventOf<'program-connected'>['can']> = {},
): AgentEvent {
  return script.next(agentId, {
    ...{ type: 'program-connected', program: PROGRAM, sessionId: 's-1', began: 'new' },
    can: { resume: true, images: true, ...can },
  })
}

export function wantsLogin(
  script: SampleLog,
  agentId: string,
  methods: EventOf<'program-login'>['methods'],
): AgentEvent {
  return script.next(agentId, { type: 'program-login', program: PROGRAM, methods, message: 'Log in first.' })
}
