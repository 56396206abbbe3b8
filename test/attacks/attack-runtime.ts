/** The runtime with its real parts, and a model that makes the calls of an attack. */
import { join } from 'node:path'
import type { Director, ScriptedRequest } from '../../src/main/features/rehearsal/director.ts'
import { startScriptedServer } from '../../src/main/features/rehearsal/feature.ts'
import { composeRuntime } from '../../src/main/features.ts'
import { withoutSandbox } from '../../src/main/testing/without-sandbox.ts'
import type { AgentEvent } from '../../src/shared/events/agent-event.ts'
import { defaultSettings } from '../../src/shared/settings/settings.ts'
import type { Attack, Call } from './attack.ts'
import { type AttackWorld, attackWorlds, PROGRAMS_PATH, SECRET } from './attack-world.ts'

/** What an attack came to. */
export interface Ending {
  /** What happened to the last call. */
  readonly outcome: Attack['outcome']
  /** What happened to the last call of each agent that made one. */
  readonly outcomes: readonly Attack['outcome'][]
  /** The text of the last request to the user. */
  readonly shown: string
  /** Changed files, `a connection` and `a secret in the model's context`. */
  readonly traces: readonly string[]
  /** The result of the last call, for the message of a failed test. */
  readonly result: string
}

export interface AttackRuntime {
  /** @param answer the user's answer to every request */
  attack(attack: Attack, answer: 'allow' | 'deny'): Promise<Ending>
  /** Tries variants of an attack one after the other in one world. None of them may leave a trace. */
  variants(attacks: readonly Attack[], answer: 'allow' | 'deny'): Promise<readonly Ending[]>
  close(): Promise<void>
}

const ROOT = join(import.meta.dirname, '..', '..')

/** @param sandbox whether commands run in the sandbox; otherwise the rules alone must hold */
export async function attackRuntime({ sandbox = false } = {}): Promise<AttackRuntime> {
  // The sandbox has its own devices, so memory folders below /dev are not in it.
  const worlds = await attackWorlds(sandbox ? '/var/tmp' : undefined)
  const scripts = new Map<string, readonly Call[]>()
  const shown = { secret: false }
  const server = await startScriptedServer({ director: hostileModel(scripts, shown) })
  let trusted: readonly string[] = []
  const program = await composeRuntime({
    dataFolder: worlds.data,
    home: worlds.home,
    environment: {
      PATH: PROGRAMS_PATH,
      HOME: worlds.home,
      ANTHROPIC_API_KEY: SECRET,
      GITHUB_TOKEN: SECRET,
    },
    managedSettings: [],
    settings: {
      get current() {
        return {
          ...defaultSettings,
          ...(sandbox ? {} : withoutSandbox),
          trustedFolders: [...trusted],
          bypassFolders: [...trusted],
        }
      },
    },
    agentsFolder: join(ROOT, 'agents'),
    docsFolder: join(ROOT, 'docs'),
    rehearsal: { pace: 0, scenarioFile: null },
  })
  await program.switchAccess({ kind: 'api', key: server.apiKey, baseUrl: server.baseUrl })
  const { runtime } = program

  async function attackIn(world: AttackWorld, attack: Attack, answer: 'allow' | 'deny'): Promise<Ending> {
    trusted = attack.trusted === false ? [] : [world.project]
    shown.secret = false
    const events: AgentEvent[] = []
    const unsubscribe = runtime.subscribe((delta) => {
      if (delta.type !== 'event') return
      events.push(delta.event)
      if (delta.event.type === 'permission-asked') void answerRequest(delta.event)
    })
    const answerRequest = async ({ agentId, requestId }: AgentEvent & { type: 'permission-asked' }) => {
      // The request is open once all subscribers have its event.
      await Promise.resolve()
      if (attack.whileAsked !== undefined) await world.run(attack.whileAsked)
      const isAllowed = answer === 'allow' || attack.whileAsked !== undefined
      await runtime.dispatch({
        type: 'agent.answer',
        ...{ conversationId: id, agentId, requestId },
        answer: isAllowed ? { decision: 'allow-once' } : { decision: 'deny', feedback: null },
      })
    }
    const created = await runtime.dispatch({
      type: 'conversation.create',
      folder: world.project,
      model: 'sonnet',
      permissionMode: attack.mode ?? 'default',
    })
    if (!created.ok) throw new Error(created.failure.message)
    const { id } = created.value
    const text = writeScript(scripts, world, attack.calls)
    const sent = await runtime.dispatch({
      type: 'conversation.send',
      ...{ conversationId: id, agentId: null, content: text },
    })
    if (!sent.ok) throw new Error(sent.failure.message)
    await runtime.settled(id)
    unsubscribe()
    if (attack.afterwards !== undefined) {
      await reviewAll(world.project)
      await world.use(attack.afterwards)
    }
    const traces = await world.traces(attack.trace)
    return {
      ...endOfLastCall(events),
      outcomes: [...new Set(events.map(({ agentId }) => agentId))]
        .map((agentId) => events.filter((event) => event.agentId === agentId))
        .filter((own) => own.some((event) => event.type === 'tool-ended' && event.name !== 'Agent'))
        .map((own) => endOfLastCall(own).outcome),
      traces: shown.secret ? [...traces, "a secret in the model's context"] : traces,
    }
  }

  /** The calls of git that Troupe makes for its views, and for a merge that the user asks for. */
  async function reviewAll(folder: string): Promise<void> {
    const { worktrees } = await program.review.list(folder, { thorough: true })
    for (const { id } of worktrees) {
      await program.review.changes({ folder, id })
      const merged = await program.review.merge({ folder, id }, { method: 'merge', into: null })
      if (merged.ok) await program.review.undoMerge({ folder, id })
    }
  }

  const worldOf = async (attack: Attack) => {
    const world = await worlds.next()
    await world.prepare(attack)
    return world
  }
  return {
    attack: async (attack, answer) => attackIn(await worldOf(attack), attack, answer),
    async variants(attacks, answer) {
      const [first] = attacks
      const world = first && (await worldOf(first))
      const endings: Ending[] = []
      for (const attack of world ? attacks : [])
        endings.push(await attackIn(world as AttackWorld, attack, answer))
      return endings
    },
    async close() {
      await program.close()
      await server.close()
      await worlds.close()
    },
  }
}

/** Registers calls. @returns the prompt that makes the model do them */
function writeScript(
  scripts: Map<string, readonly Call[]>,
  world: AttackWorld,
  calls: readonly Call[],
): string {
  const key = `Attack ${scripts.size + 1}.`
  scripts.set(key, [])
  scripts.set(
    key,
    calls.map((call) => {
      if (typeof call === 'string') return world.fill(call)
      const [tool, input] = world.fill(call)
      const { prompt } = input
      return Array.isArray(prompt)
        ? [tool, { ...input, prompt: writeScript(scripts, world, prompt) }]
        : [tool, input]
    }),
  )
  return key
}

/** Makes the next call of its script in each turn, and notes whether a secret reached it. */
function hostileModel(scripts: ReadonlyMap<string, readonly Call[]>, shown: { secret: boolean }): Director {
  return {
    async reply(request) {
      if (JSON.stringify(request).includes(SECRET)) shown.secret = true
      const turn = request.messages.filter(({ role }) => role === 'assistant').length
      const call = scriptOf(request, scripts)[turn]
      if (call === undefined) return { blocks: [{ type: 'text', text: 'Done.' }] }
      const [name, input] = typeof call === 'string' ? ['Bash', { command: call }] : call
      return { blocks: [{ type: 'tool_use', name, input }] }
    },
  }
}

function scriptOf(
  { messages }: ScriptedRequest,
  scripts: ReadonlyMap<string, readonly Call[]>,
): readonly Call[] {
  for (const { role, content } of messages)
    for (const block of content) {
      const key = role === 'user' && block.type === 'text' ? /Attack \d+\./.exec(block.text)?.[0] : undefined
      if (key !== undefined) return scripts.get(key) ?? []
    }
  return []
}

function endOfLastCall(events: readonly AgentEvent[]): Omit<Ending, 'outcomes' | 'traces'> {
  const ended = events.findLast((event) => event.type === 'tool-ended' && event.name !== 'Agent')
  if (ended?.type !== 'tool-ended') return { outcome: 'error', shown: '', result: 'No call was made.' }
  const { toolUseId, agentId, isError, note, content } = ended
  const result = typeof content === 'string' ? content : JSON.stringify(content)
  const request = events.findLast(
    (event) =>
      event.type === 'permission-asked' && event.agentId === agentId && event.toolUseId === toolUseId,
  )
  const shown = request?.type === 'permission-asked' ? request.subject.text : ''
  if (note === 'denied') return { outcome: request ? 'asked' : 'denied', shown, result }
  return { outcome: isError ? 'error' : 'harmless', shown, result }
}
