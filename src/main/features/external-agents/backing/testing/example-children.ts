/** How the example agent behaves with subagents of its own: see `behaviors` of `example-agent.ts`. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type AgentContext, methods, type PromptResponse } from '@agentclientprotocol/sdk'

interface Turn {
  readonly client: AgentContext
  readonly sessionId: string
  readonly cwd: string
  readonly text: string
}

const ends: PromptResponse = { stopReason: 'end_turn' }

const canceled = new Map<string, () => void>()

/** What the client asked for this session. True: the session is one of a subagent that waits. */
export function cancelChild(sessionId: string): boolean {
  canceled.get(sessionId)?.()
  return canceled.has(sessionId)
}

const waitForCancel = (sessionId: string): Promise<void> =>
  new Promise((resolve) => canceled.set(sessionId, resolve))

/** A subagent of a session. */
class Child {
  readonly id: string
  private readonly client: AgentContext
  private readonly parentId: string
  private readonly parent: Turn

  constructor(parent: Turn, id: string) {
    this.parent = parent
    this.client = parent.client
    this.parentId = parent.sessionId
    this.id = id
  }

  get turn(): Turn {
    return { ...this.parent, sessionId: this.id }
  }

  /** Tells the parent's session. */
  update(patch: object): Promise<void> {
    return send(this.client, this.parentId, {
      sessionUpdate: 'subagent_update',
      sessionId: this.id,
      ...patch,
    })
  }

  begin(title: string, more: object = {}): Promise<void> {
    const description = `Looks at ${title}`
    const capabilities = { cancel: {} }
    return this.update({ title, description, capabilities, state: { state: 'running' }, ...more })
  }

  idle(stopReason = 'end_turn', more: object = {}): Promise<void> {
    return this.update({ state: { state: 'idle', stopReason, ...more } })
  }

  /** In the session of the subagent. */
  own(update: object): Promise<void> {
    return send(this.client, this.id, update)
  }

  say(text: string): Promise<void> {
    return this.own({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } })
  }

  prompt(messageId: string, text: string): Promise<void> {
    return this.own({
      sessionUpdate: 'session_message',
      messageId,
      senderSessionId: this.parentId,
      recipientSessionId: this.id,
      content: [{ type: 'text', text }],
    })
  }
}

const send = (client: AgentContext, sessionId: string, update: object): Promise<void> =>
  client.notify('session/update', { sessionId, update })

const say = ({ client, sessionId }: Turn, text: string): Promise<void> =>
  send(client, sessionId, { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } })

/** Asks to run the tests; returns the chosen answer. */
async function askForTests({ client, sessionId }: Turn): Promise<string> {
  const { outcome } = await client.request(methods.client.session.requestPermission, {
    sessionId,
    toolCall: {
      toolCallId: 'call-1',
      kind: 'execute',
      title: 'npm test',
      rawInput: { command: 'npm test' },
    },
    options: [
      { optionId: 'once', kind: 'allow_once', name: 'Once' },
      { optionId: 'no', kind: 'reject_once', name: 'No' },
    ],
  })
  return outcome.outcome === 'selected' ? outcome.optionId : outcome.outcome
}

/** A subagent that runs the tests if it may. */
async function asksForTests(turn: Turn, more: object = {}): Promise<PromptResponse> {
  const child = new Child(turn, 'c-1')
  await child.begin('routes', more)
  const answer = await askForTests(child.turn)
  const status = answer === 'once' ? 'completed' : 'failed'
  await child.own({ sessionUpdate: 'tool_call_update', toolCallId: 'call-1', status })
  await child.say(`The answer was ${answer}.`)
  await child.idle()
  await say(turn, 'Done.')
  return ends
}

async function toldOnce(child: Child): Promise<void> {
  await child.prompt('p-1', 'Look.')
  await child.say('First.')
  await child.idle()
}

/** The subagents of `children-over-prompts` once more, as a program that loads a session tells its history. */
export async function replayChildren(client: AgentContext, sessionId: string): Promise<void> {
  const turn = { client, sessionId, cwd: '', text: '' }
  const [one, two] = [new Child(turn, 'c-1'), new Child(turn, 'c-2')]
  await one.begin('routes')
  await toldOnce(one)
  await two.begin('tests')
  await two.say('Working.')
  await two.idle('cancelled')
}

const never = new Promise<never>(() => {
  setInterval(() => {}, 60_000)
})

export const childBehaviors: Readonly<Record<string, (turn: Turn) => Promise<PromptResponse>>> = {
  /** Two at the same time, one of which has one of its own. */
  async children(turn) {
    await say(turn, 'I ask two.')
    const [one, two] = [new Child(turn, 'c-1'), new Child(turn, 'c-2')]
    await one.begin('routes')
    await one.prompt('p-1', 'Look at the routes.')
    await two.begin('tests')
    const nested = new Child(two.turn, 'c-3')
    await one.say('Routes: ')
    await two.say('Tests: ')
    await nested.begin('fixtures', { capabilities: null, description: null })
    await one.own({
      sessionUpdate: 'config_option_update',
      configOptions: [
        { id: 'm', category: 'model', currentValue: 'h', options: [{ value: 'h', name: 'Haiku' }] },
      ],
    })
    await one.own({
      sessionUpdate: 'tool_call',
      toolCallId: 'call-1',
      title: 'Read routes.ts',
      kind: 'read',
      status: 'completed',
    })
    await nested.say('Three fixtures.')
    await nested.idle()
    await one.say('four.')
    await two.say('nine.')
    await one.idle()
    await two.idle()
    await say(turn, 'Both are done.')
    return ends
  },
  'child-permission': (turn) => asksForTests(turn),
  /** As before, with one that can't be stopped by itself. */
  'fixed-child-permission': (turn) => asksForTests(turn, { capabilities: {} }),
  /** After its answer the subagent waits for its cancel. */
  async 'child-permission-waits'(turn) {
    const child = new Child(turn, 'c-1')
    const isCanceled = waitForCancel(child.id)
    await child.begin('routes')
    await child.say(`The answer was ${await askForTests(child.turn)}.`)
    await isCanceled
    await child.idle('cancelled')
    await say(turn, 'Done.')
    return ends
  },
  /** Two that wait; the program reacts to a cancel of the first one only. */
  async 'children-wait'(turn) {
    const [one, two] = [new Child(turn, 'c-1'), new Child(turn, 'c-2')]
    await one.begin('routes')
    await two.begin('tests', { capabilities: {} })
    await one.say('Working.')
    await waitForCancel(one.id)
    await one.say(' Canceled.')
    await one.idle('cancelled')
    await two.say('Still here.')
    await two.idle()
    await say(turn, 'One of two.')
    return ends
  },
  /** One that can't be stopped by itself and asks, and one that waits; the program works until it is stopped. */
  async 'children-work'(turn) {
    const stopped = waitForCancel(turn.sessionId)
    await say(turn, 'I ask two.')
    const [one, two] = [new Child(turn, 'c-1'), new Child(turn, 'c-2')]
    await one.begin('routes', { capabilities: {} })
    await one.prompt('p-1', 'Look at the routes.')
    await two.begin('tests')
    await two.prompt('p-2', 'Look at the tests.')
    await two.say('Reading the tests.')
    const works = [
      askForTests(one.turn).then((answer) => one.say(`The answer was ${answer}.`)),
      waitForCancel(two.id).then(() => two.idle('cancelled')),
    ]
    await Promise.race([stopped, Promise.all(works).then(() => stopped)])
    return { stopReason: 'cancelled' }
  },
  /** It asks, and ends without the answer once there is a file `go`. */
  async 'child-gives-up'(turn) {
    const child = new Child(turn, 'c-1')
    await child.begin('routes')
    const asked = askForTests(child.turn)
    while (!existsSync(join(turn.cwd, 'go'))) await new Promise((resolve) => setTimeout(resolve, 10))
    await child.idle()
    await say(turn, `The answer was ${await asked}.`)
    return ends
  },
  /** Its second and third run begin with its state only; the third one says nothing. */
  async 'child-runs-again'(turn) {
    const child = new Child(turn, 'c-1')
    await child.begin('routes')
    await child.say('First.')
    await child.idle()
    await child.update({ state: { state: 'running' } })
    await child.say('Second.')
    await child.idle()
    await child.update({ state: { state: 'running' } })
    await child.idle()
    await say(turn, 'Done.')
    return ends
  },
  /** One that ends and one that waits; a later prompt gives the first one more work, and names neither again. */
  async 'children-over-prompts'(turn) {
    const [one, two] = [new Child(turn, 'c-1'), new Child(turn, 'c-2')]
    if (turn.text.includes('more')) {
      await two.idle('cancelled')
      await one.update({ state: { state: 'running' } })
      await one.prompt('p-2', 'Look again.')
      await one.say('Second.')
      await one.idle()
      await say(turn, 'Again.')
      return ends
    }
    const isCanceled = waitForCancel(two.id)
    await one.begin('routes')
    await two.begin('tests')
    await toldOnce(one)
    await two.say('Working.')
    await isCanceled
    await two.idle('cancelled')
    await say(turn, 'One of two.')
    return ends
  },
  async 'odd-children'(turn) {
    const { client, sessionId } = turn
    for (const update of [
      { sessionUpdate: 'subagent_update' },
      { sessionUpdate: 'subagent_update', sessionId: 7 },
      { sessionUpdate: 'subagent_update', sessionId: 'c-0', title: 5, state: 'running', capabilities: 'all' },
      { sessionUpdate: 'subagent_update', sessionId: 'c-0', state: { state: 'dancing' } },
      { sessionUpdate: 'session_message', messageId: null, content: 'no' },
      { sessionUpdate: 'subagent_spawned', subagentSessionId: 'c-9', name: 'Other' },
      { sessionUpdate: 'subagent_update', sessionId, title: 'Itself', state: { state: 'running' } },
    ])
      await send(client, sessionId, update)
    await send(client, 'c-unknown', {
      sessionUpdate: 'subagent_update',
      sessionId: 'c-7',
      state: { state: 'running' },
    })
    const child = new Child(turn, 'c-1')
    await child.update({ title: ' \n ', cwd: 'not/absolute', state: { state: 'running' } })
    await child.own({ sessionUpdate: 5 })
    await child.own({ sessionUpdate: 'tool_call', toolCallId: 3, content: 'x' })
    await child.say('Still here.')
    await child.idle('something new')
    await say(turn, 'Done.')
    return ends
  },
  async 'children-flood'(turn) {
    const children = ['c-1', 'c-2', 'c-3'].map((id) => new Child(turn, id))
    for (const child of children) await child.begin(child.id)
    for (let n = 0; n < 1000; n++) for (const child of children) await child.say('x'.repeat(100))
    for (const child of children) await child.idle()
    await say(turn, 'Done.')
    return ends
  },
  async 'child-left'(turn) {
    const child = new Child(turn, 'c-1')
    await child.begin('routes')
    await child.say('Working.')
    await say(turn, 'I do not wait.')
    return ends
  },
  async 'child-again'(turn) {
    const child = new Child(turn, 'c-1')
    await child.begin('routes')
    await child.prompt('p-1', 'Look.')
    await child.say('First.')
    await child.idle()
    await child.update({ title: 'routes again', state: { state: 'running' } })
    await child.prompt('p-2', 'Look again.')
    await child.say('Second.')
    await child.idle('error', { error: { code: -32603, message: 'Out of cheese' } })
    await say(turn, 'Done.')
    return ends
  },
  /** It hangs with a subagent that hangs. */
  async 'child-hangs'(turn) {
    const child = new Child(turn, 'c-1')
    await child.begin('routes')
    await child.say('Working.')
    return never
  },
  async 'child-dies'(turn) {
    const child = new Child(turn, 'c-1')
    await child.begin('routes')
    await child.say('Half ')
    setTimeout(() => process.exit(3), 50)
    return never
  },
}
