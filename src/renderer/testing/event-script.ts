/** Writes the events of agents for tests of the window. */
import type { AgentEvent, EventOf } from '../../shared/events/agent-event.ts'
import { SampleLog, sampleDefinition } from '../../shared/testing/sample-events.ts'

export { stateAfter } from '../../shared/testing/sample-events.ts'

export class EventScript extends SampleLog {
  spawn(
    agentId: string,
    choices: Partial<Omit<EventOf<'agent-spawned'>, 'type' | 'agentId'>> = {},
  ): EventOf<'agent-spawned'> {
    return this.add(agentId, 'agent-spawned', {
      conversationId: 'c1',
      definition: sampleDefinition({ name: agentId }),
      task: `the task of ${agentId}`,
      model: 'sonnet',
      system: '',
      cwd: '/work/shop',
      maxTurns: 20,
      ...choices,
    })
  }

  says(agentId: string, text: string): AgentEvent {
    return this.answers(agentId, { content: [{ type: 'text', text }], stopReason: 'end_turn' })
  }

  uses(agentId: string, toolUseId: string, name = 'Read'): AgentEvent {
    return this.answers(agentId, { content: [{ type: 'tool_use', id: toolUseId, name, input: {} }] })
  }

  private answers(agentId: string, more: Partial<EventOf<'assistant-message'>>): AgentEvent {
    return this.add(agentId, 'assistant-message', {
      messageId: `m${this.events.length}`,
      model: 'sonnet',
      usage: { input: 10, output: 5, cacheRead: 30, cacheWrite: 0 },
      durationMs: 900,
      pace: [],
      ...more,
    })
  }

  toolEnds(agentId: string, toolUseId: string, note = '12 lines'): AgentEvent {
    return this.add(agentId, 'tool-ended', { toolUseId, name: 'Read', content: 'text', note, durationMs: 12 })
  }

  asks(
    agentId: string,
    requestId: string,
    choices: Partial<
      Pick<EventOf<'permission-asked'>, 'subject' | 'because' | 'alwaysRule' | 'ruleOffers'>
    > = {},
  ): AgentEvent {
    return this.add(agentId, 'permission-asked', {
      requestId,
      toolUseId: `t-${requestId}`,
      toolName: 'Bash',
      subject: {
        kind: 'command',
        action: 'run a command',
        text: 'npm test',
        folder: '/work/shop',
      },
      because: 'No rule allows it.',
      alwaysRule: 'Bash(npm test)',
      ...choices,
    })
  }

  answered(
    agentId: string,
    requestId: string,
    choices: Partial<
      Pick<EventOf<'permission-answered'>, 'decision' | 'feedback' | 'rule' | 'answeredBy'>
    > = {},
  ): AgentEvent {
    return this.add(agentId, 'permission-answered', {
      requestId,
      toolUseId: `t-${requestId}`,
      decision: 'allow-once',
      feedback: null,
      ...choices,
    })
  }

  status(agentId: string, status: EventOf<'status-changed'>['status']): AgentEvent {
    return this.add(agentId, 'status-changed', { status, waitingFor: null })
  }
}
