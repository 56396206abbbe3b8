/** The tutorial's script in the whole program: a user who does each step, and users who do something else. */
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFailed, onTestFinished, test } from 'vitest'
import type { PermissionAnswer } from '../shared/agents/contract.ts'
import type { AgentEvent } from '../shared/events/agent-event.ts'
import { textOf } from '../shared/messages/text-of.ts'
import { defaultSettings } from '../shared/settings/settings.ts'
import {
  completedSteps,
  emptyTutorial,
  foldTutorial,
  TUTORIAL_AGENT,
  TUTORIAL_STEPS,
  TUTORIAL_TASK,
  type TutorialFact,
  type TutorialStep,
} from '../shared/tutorial/tutorial.ts'
import { type ComposedRuntime, composeRuntime } from './features.ts'
import { type EventWatch, watchEvents } from './runtime/testing/event-watch.ts'
import { withoutSandbox } from './testing/without-sandbox.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const ALLOW: PermissionAnswer = { decision: 'allow-once' }
const DENY: PermissionAnswer = { decision: 'deny', feedback: null }

/** A user of the tutorial, on a copy of the sample project. */
class TutorialUser {
  private readonly base: string
  readonly folder: string
  private program: ComposedRuntime | null = null
  private watch: EventWatch | null = null
  private conversationId = ''
  /** The answer to each further permission request; null: none. */
  private usual: PermissionAnswer | null = null

  constructor(base: string) {
    this.base = base
    this.folder = join(base, 'Troupe sample 1')
  }

  get runtime() {
    if (this.program === null || this.watch === null) throw new Error('The program is not open.')
    return { ...this.program, ...this.watch }
  }

  async open(): Promise<void> {
    this.program = await composeRuntime({
      dataFolder: join(this.base, 'data'),
      home: this.base,
      environment: { PATH: process.env['PATH'] },
      settings: {
        current: { ...defaultSettings, ...withoutSandbox, trustedFolders: [this.folder] },
      },
      agentsFolder: join(this.base, 'agents'),
      docsFolder: join(ROOT, 'docs'),
      rehearsal: { pace: 0, scenarioFile: null },
    })
    // A user with a key: nothing of the tutorial goes to that address, where nobody answers.
    await this.program.switchAccess({ kind: 'api', key: 'sk-unused', baseUrl: 'http://127.0.0.1:9' })
    const { runtime } = this.program
    this.watch = watchEvents(runtime)
    runtime.subscribe((delta) => {
      if (delta.type !== 'event' || delta.event.type !== 'permission-asked' || this.usual === null) return
      const { agentId, requestId } = delta.event
      const answer = this.usual
      queueMicrotask(() => void this.do({ type: 'agent.answer', agentId, requestId, answer }))
    })
  }

  async close(): Promise<void> {
    await this.program?.close()
    this.program = null
  }

  /** The program starts again. */
  async restart(): Promise<void> {
    await this.close()
    await this.open()
  }

  async begin(usual: PermissionAnswer | null = null): Promise<void> {
    this.usual = usual
    const created = await this.runtime.dispatch({
      type: 'conversation.create',
      folder: this.folder,
      agent: TUTORIAL_AGENT,
      coordinator: false,
      permissionMode: 'default',
    })
    if (!created.ok) throw new Error(created.failure.message)
    expect(created.value.rehearsal).toBe(true)
    this.conversationId = created.value.id
    await this.write(TUTORIAL_TASK)
  }

  async do(command: { readonly type: string; readonly [field: string]: unknown }): Promise<void> {
    const { dispatch } = this.runtime.runtime
    const done = await dispatch({ conversationId: this.conversationId, ...command } as never)
    if (!(done as { ok: boolean }).ok) throw new Error(JSON.stringify(done))
  }

  write = (content: string, agentId: string | null = null) =>
    this.do({ type: 'conversation.send', agentId, content })

  /** The newest subagent with this task, once it works. */
  async agent(task: string, after: readonly string[] = []): Promise<string> {
    const { agentId } = await this.runtime.when(
      'agent-spawned',
      (event) => event.task === task && !after.includes(event.agentId),
    )
    return agentId
  }

  private readonly answered = new Set<string>()

  /** Answers the next request of a tool. */
  async answer(toolName: string, answer: PermissionAnswer): Promise<void> {
    const { agentId, requestId } = await this.runtime.when(
      'permission-asked',
      (event) => event.toolName === toolName && !this.answered.has(event.requestId),
    )
    this.answered.add(requestId)
    await this.do({ type: 'agent.answer', agentId, requestId, answer })
  }

  says = (text: string, agentId?: string) =>
    this.runtime.when(
      'assistant-message',
      (event) => (agentId === undefined || event.agentId === agentId) && textOf(event.content).includes(text),
    )

  ends = (agentId: string) => this.runtime.when('agent-ended', (event) => event.agentId === agentId)

  async undo(name: string): Promise<void> {
    const { changes } = this.runtime
    const scope = { kind: 'file', path: join(this.folder, name), agentId: null } as const
    const wanted = { conversationId: this.conversationId, scope, choices: {} }
    const preview = await changes.preview(wanted)
    if (!preview.ok) throw new Error(preview.failure.message)
    const undone = await changes.undo({ ...wanted, version: preview.value.version, continues: false })
    if (!undone.ok) throw new Error(undone.failure.message)
  }

  async merge(): Promise<void> {
    const { review, handlers } = this.runtime
    const { worktrees } = await review.list(this.folder, { thorough: true })
    const merged = await handlers['review.merge']({
      ...{ folder: this.folder, id: worktrees[0]?.id ?? '', method: 'merge' },
      ...{ into: null, commits: [], message: null, seen: null },
    })
    if (!merged.ok) throw new Error(merged.failure.message)
  }

  /** The steps that the logs and the repository prove. */
  async done(): Promise<readonly TutorialStep[]> {
    const { store, runtime, review } = this.runtime
    await runtime.saved(this.conversationId)
    const facts: TutorialFact[] = []
    for await (const batch of store.readConversation(this.conversationId))
      if (batch.ok) facts.push(...batch.value)
    const { worktrees } = await review.list(this.folder, { thorough: false })
    if (worktrees.some(({ merged }) => merged !== null)) facts.push({ type: 'worktree-merged' })
    return completedSteps(facts.reduce(foldTutorial, emptyTutorial))
  }

  hasDone = (steps: readonly TutorialStep[]) =>
    expect.poll(() => this.done(), { interval: 50 }).toEqual(steps)

  /** Everything that agents said, for the message of a failed test. */
  said = () =>
    (this.watch?.events ?? []).flatMap((event: AgentEvent) =>
      event.type === 'assistant-message'
        ? [`${event.agentId}: ${textOf(event.content)}`]
        : event.type === 'request-failed' || event.type === 'agent-ended' || event.type === 'tool-ended'
          ? [JSON.stringify(event).slice(0, 700)]
          : [],
    )
}

/** The script's own delays are short here, and its agents wait until the test acts. */
async function newUser({
  git = true,
  patience = 5000,
}: {
  readonly git?: boolean
  /** The turns for which an agent waits. */
  readonly patience?: number
} = {}): Promise<TutorialUser> {
  const base = await realpath(await mkdtemp(join(tmpdir(), 'troupe-tutorial-')))
  const user = new TutorialUser(base)
  await mkdir(join(base, 'data'))
  await cp(join(ROOT, 'sample', 'project'), user.folder, { recursive: true })
  await cp(join(ROOT, 'agents'), join(base, 'agents'), { recursive: true })
  const change = async (name: string, edit: (text: string) => string) => {
    const file = join(base, 'agents', name)
    await writeFile(file, edit(await readFile(file, 'utf8')))
  }
  await change('tutorial.yaml', (text) =>
    text
      .replace(/delay: \d+/g, 'delay: 150')
      .replace(/replies\.length < \d\d+/g, `replies.length < ${patience}`)
      .replace(/retryAfter: \d+/, 'retryAfter: 0'),
  )
  await change('tutorial.md', (text) => text.replace(/maxTurns: \d+/, 'maxTurns: 9000'))
  if (git) {
    const run = (...args: readonly string[]) => execFileSync('git', args, { cwd: user.folder, stdio: 'pipe' })
    run('init', '-q', '-b', 'main')
    run('add', '-A')
    run('-c', 'user.name=Ana', '-c', 'user.email=ana@example.invalid', 'commit', '-q', '-m', 'Start')
  }
  onTestFailed(() => console.error(user.said().join('\n---\n')))
  onTestFinished(async () => {
    await user.close()
    await rm(base, { recursive: true, force: true, maxRetries: 5 })
  })
  await user.open()
  return user
}

test('a user does all steps in the order of the guide', async () => {
  const user = await newUser()
  await user.begin()
  await user.hasDone(['send'])
  await user.answer('Write', ALLOW)
  await user.hasDone(['send', 'answer'])
  await user.answer('Bash', ALLOW)
  const circles = await user.agent('Look for the cause')
  const fix = await user.agent('Write the fix')
  await user.says('One test fails: `no cent is lost')
  await user.says('read it again', circles)
  await user.do({ type: 'agent.stop', agentId: circles })
  await user.ends(circles)
  await user.hasDone(['send', 'answer', 'stop'])
  await user.says('Who gets it?', fix)
  await user.write('The last one, please.', fix)
  await user.answer('Edit', ALLOW)
  await user.answer('Bash', ALLOW)
  await user.says('The parts of a split add up now, and all tests pass.', fix)
  await user.hasDone(['send', 'answer', 'stop', 'message'])
  const check = await user.agent('Check the README')
  await user.says('“Propose another note”')
  await user.undo('NOTES.md')
  expect(existsSync(join(user.folder, 'NOTES.md'))).toBe(false)
  await user.merge()
  expect(await readFile(join(user.folder, 'src', 'money.js'), 'utf8')).toContain(
    'The last parts get the cents',
  )
  await user.says('I read `src/money.js`.', check)
  await user.hasDone(['send', 'answer', 'stop', 'message', 'undo', 'merge'])
  await user.restart()
  await user.hasDone(['send', 'answer', 'stop', 'message', 'undo', 'merge'])
  await user.do({ type: 'conversation.continue' })
  await user.says('and I was resumed where I was', check)
  await user.hasDone(TUTORIAL_STEPS)
  await user.says('There is nothing left for me to do.')
})

test('a user who denies everything reaches the end of the script', async () => {
  const user = await newUser()
  await user.begin(DENY)
  await user.says('Nothing was written')
  const [circles, fix] = [await user.agent('Look for the cause'), await user.agent('Write the fix')]
  await user.says('The tests did not run')
  await user.write('The first one', fix)
  await user.says('The change was not made', fix)
  await user.do({ type: 'agent.stop', agentId: circles })
  await user.says('Look for the cause: you stopped it.')
  await user.says('That is all I do by myself.')
  await user.hasDone(['send', 'answer', 'stop', 'message'])
})

test('a user who stops another agent than asked resumes it by a message', async () => {
  const user = await newUser()
  await user.begin(ALLOW)
  const [circles, fix] = [await user.agent('Look for the cause'), await user.agent('Write the fix')]
  await user.says('Who gets it?', fix)
  await user.do({ type: 'agent.stop', agentId: fix })
  await user.ends(fix)
  await user.hasDone(['send', 'answer', 'stop'])
  await user.write('The first one', fix)
  await user.says('all tests pass', fix)
  await user.write('Do you find anything?', circles)
  await user.says('go on in circles until you stop me', circles)
  await user.do({ type: 'agent.stop', agentId: circles })
  await user.says('That is all I do by myself.')
  await user.merge()
  await user.hasDone(['send', 'answer', 'stop', 'message', 'merge'])
})

test('without git the fix is written in the folder, and the other steps work', async () => {
  const user = await newUser({ git: false })
  await user.begin(ALLOW)
  const circles = await user.agent('Look for the cause')
  await user.do({ type: 'agent.stop', agentId: circles })
  const fix = await user.agent('Write the fix')
  await user.says('Who gets it?', fix)
  await user.write('The first one', fix)
  await user.says('all tests pass', fix)
  await user.says('That is all I do by myself.')
  await user.undo('NOTES.md')
  await user.hasDone(['send', 'answer', 'stop', 'message', 'undo'])
})

test('a user who stops everything tries each step again by a message', async () => {
  const user = await newUser()
  await user.begin(ALLOW)
  const first = [await user.agent('Look for the cause'), await user.agent('Write the fix')]
  await user.do({ type: 'conversation.stop' })
  await user.hasDone(['send', 'answer', 'stop'])
  await user.write('Hello?')
  await user.says("I am a script, not a model, and can't answer that.")
  await user.write('Start an agent that goes in circles')
  const circles = await user.agent('Look for the cause', first)
  await user.says('Stop it in its panel.')
  await user.do({ type: 'agent.stop', agentId: circles })
  await user.write('Propose another note')
  await user.says('NOTES-4.md')
  await user.undo('NOTES-4.md')
  await user.write('Check the README again')
  await user.agent('Check the README')
  await user.says('End the program meanwhile.')
  await user.write('Write the fix again')
  const fix = await user.agent('Write the fix', first)
  await user.says('Who gets it?', fix)
  await user.write('first', fix)
  await user.ends(fix)
  await user.restart()
  await user.do({ type: 'conversation.continue' })
  await user.says('I was resumed where I was')
  await user.hasDone(['send', 'answer', 'stop', 'message', 'undo', 'restart'])
})

test('agents that nobody stops or writes to end by themselves', async () => {
  const user = await newUser({ patience: 3 })
  await user.begin(ALLOW)
  await user.says('Nobody stopped me')
  await user.says('No message came. So the cent goes to the first.')
  await user.says('The program did not end meanwhile.')
  await user.says('There is nothing left for me to do.')
  await user.hasDone(['send', 'answer'])
})
