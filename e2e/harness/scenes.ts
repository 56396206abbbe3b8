/** The scenes: `?harness=<name>`. Each sets up a world and may start agents that work or stream. */

import type { LiveEvent, SpendLimits } from '../../src/shared/events/agent-event.ts'
import type { ConversationRecord } from '../../src/shared/events/conversation.ts'
import { SampleLog, subagentLimits } from '../../src/shared/testing/sample-log.ts'
import { allReviewStates, largeReview, manyReviews, reviewWorktrees } from './review.ts'
import { addedVersions, attemptLogs, largeBench, reviewerTexts, sceneBench } from './scenes/agent-tests.ts'
import { agentTexts, definitions, manyAgents } from './scenes/agents.ts'
import { bestComparison, bestLog, bestWorktrees } from './scenes/best.ts'
import { checkoutLog } from './scenes/checkout.ts'
import { manyConversations, sceneHistories } from './scenes/conversations.ts'
import { crowdLog } from './scenes/crowd.ts'
import { doneChanges, doneLog } from './scenes/done.ts'
import { overlappingWorktrees, sampleEnvironments, sampleOutput } from './scenes/environments.ts'
import { sixWeeks } from './scenes/insight.ts'
import { lifecycleLog } from './scenes/lifecycle.ts'
import { messagesLog, queuedMessages } from './scenes/messages.ts'
import { longLog, promptsLog, troublesLog, workersLog } from './scenes/others.ts'
import { outsideLog, outsideTroublesLog } from './scenes/outside.ts'
import { programDefinitions, scenePrograms } from './scenes/programs.ts'
import { chargeOnce } from './scenes/pull-request.ts'
import { queueLog } from './scenes/queue.ts'
import { exportPreview, tutorialLog } from './scenes/sharing.ts'
import { teamLog, teamRecord, teamWorkers } from './scenes/team.ts'
import { crowdedTimeline, timelineLog, timelineRecord } from './scenes/timeline.ts'
import { wideLog } from './scenes/wide.ts'
import { type Speech, speeches, speechOnce } from './speech.ts'
import { folderAt, type World } from './world.ts'

const ID = 'conversation-1'

type Scene = (world: World, options: URLSearchParams) => void

export const scenes: Readonly<Record<string, Scene>> = {
  'first-run': (world, options) => {
    withPrograms(world, options)
    world.folder = null
    world.access = { kind: 'none', keySource: null, keyStoreSafe: true, baseUrl: '' }
  },
  'no-access': (world, options) => {
    withPrograms(world, options)
    world.access = { kind: 'none', keySource: null, keyStoreSafe: false, baseUrl: '' }
  },
  untrusted: (world) => {
    world.folder = folderAt('/home/ada/src/unknown-service', { trusted: false })
  },
  /** `&programs` here and above: some external agents are on this computer. */
  empty: (world, options) => withPrograms(world, options),
  stage: (world, options) => stage(world, checkoutLog(ID, Date.now()), options),
  /** `&agents=300`: more agents than 24. */
  crowd: (world, options) =>
    stage(world, crowdLog(ID, Date.now(), Number(options.get('agents') ?? 24)), options),
  rehearsal: (world, options) => {
    world.access = { kind: 'rehearsal', keySource: null, keyStoreSafe: true, baseUrl: '' }
    stage(world, checkoutLog(ID, Date.now()), options)
  },
  /** All agents have ended: the answer and their reports. */
  done: (world) => {
    keep(world, 'Make retries idempotent', doneLog(ID, Date.now()))
    world.changes = doneChanges(ID)
    world.review.all = reviewWorktrees(Date.now())
  },
  /** The mockup's comparison of three attempts. */
  best: (world) => {
    const now = Date.now()
    world.review.all = bestWorktrees(now)
    keep(world, 'Split refunds to the cent', bestLog(ID, now), { comparisons: [bestComparison(now)] })
  },
  /** Wide tables and long lines of code in messages. */
  wide: (world) => keep(world, 'Who makes a new key?', wideLog(ID, Date.now())),
  'read-only': (world) => {
    keep(world, 'Make retries idempotent', checkoutLog(ID, Date.now()))
    world.conversations.locked.add(ID)
  },
  bypass: (world, options) => {
    world.folder = folderAt('/home/ada/src/checkout-service', { bypassAllowed: true })
    const log = checkoutLog(ID, Date.now())
    log.add('main', 'permission-mode-changed', { permissionMode: 'bypassPermissions', neverAsks: false })
    stage(world, log, options)
  },
  /** `&reached`: at the conversation's limit; `&unpriced`: with a model without a known price. */
  limits: (world, options) => {
    const log = checkoutLog(ID, Date.now())
    for (const [id, own] of AGENT_LIMITS)
      log.add(id, 'limits-changed', { limits: { ...subagentLimits, ...own } })
    if (options.has('unpriced'))
      log.answers('refactor', { text: 'The key is made with the order.', cost: null, tokens: 9000 })
    const limits = { tokens: 2_000_000, usd: 1.1, ms: 3_600_000, spawns: null }
    if (!options.has('reached')) return stage(world, log, options, { limits })
    log.now = Date.now()
    for (const { id, lastLine, endedAt } of log.states.values())
      if (id !== 'main' && endedAt === null) log.ends(id, lastLine, 'stopped')
    const note = "Reached the conversation's limit of $0.90. Asked for a report."
    log.receives('main', 'You have reached a limit.', 'runtime', { note })
    log.reachTurn('main', 2)
    log.answers('main', { text: 'Understood.', tokens: 3030, window: 200_000 })
    const end = { report: 'Understood.', reachedLimit: 'money', limitOf: 'conversation' } as const
    log.add('main', 'agent-ended', end)
    const outcome = { kind: 'limit', at: log.now } as const
    stage(world, log, options, { limits: { ...limits, usd: 0.9 }, outcome })
  },
  /** An agent in each state that allows an action of the user; `?still` without the streaming one. */
  lifecycle: (world, options) => {
    const talking = options.has('still')
      ? []
      : speeches(['Explore', 'general-purpose'], { rate: 25, endless: false })
    show(world, 'Ship the charge key', lifecycleLog(ID, Date.now()), {}, new Map(talking))
    const { definitionChanges } = world.conversations
    definitionChanges.set('security-reviewer', { kind: 'changed', what: ['its prompt', 'its tools'] })
    definitionChanges.set('log-review', { kind: 'gone', what: [] })
  },
  /** `&conversations=1000`: more than six weeks have. Settings › Insight shows what they cost. */
  insight: (world, options) => {
    world.insight = sixWeeks(Date.now(), Number(options.get('conversations') ?? 74))
    world.afterOpening.push({ type: 'menu', command: 'insight' })
    stage(world, checkoutLog(ID, Date.now()), options)
  },
  /** A newer version; `&way=command`: this program can't install it; `&settings`: in the settings. */
  update: (world, options) => {
    Object.assign(world.settings, { updateUrl: 'https://example.com/troupe/', updateKey: 'MCowBQYDK2VwAyEA' })
    const command = "cd '/home/ada/src/troupe' && git pull && npm start"
    const way =
      options.get('way') === 'command' ? { kind: 'command' as const, command } : { kind: 'self' as const }
    const notes =
      '- **Pull requests.** R in Review makes a pull request of a worktree.\n- **Schedules.** A timer of the system starts a run.'
    const found = { kind: 'newer', version: '1.10.0', notes, way } as const
    world.afterOpening.push({
      ...{ type: 'update', state: { found, checkedAt: Date.now(), work: null, isLater: false } },
    })
    if (options.has('settings')) world.afterOpening.push({ type: 'menu', command: 'settings' })
    stage(world, checkoutLog(ID, Date.now()), options)
  },
  /** The dialog that exports the conversation. */
  export: (world, options) => {
    const log = checkoutLog(ID, Date.now())
    world.exported = (share) => exportPreview(log, share)
    world.afterOpening.push({ type: 'menu', command: 'export-conversation' })
    stage(world, log, options)
  },
  /** The third of seven steps. */
  tutorial: (world) => {
    const folder = world.folder?.path ?? ''
    const steps = { done: ['send', 'answer'], skipped: [] } as const
    world.tutorial = { conversationId: ID, folder, ...steps, isLeft: false, hasGit: true }
    show(world, 'Tutorial', tutorialLog(ID, Date.now()))
  },
  prompts: (world) => show(world, 'Ten questions', promptsLog(ID, Date.now())),
  /** Alike requests of 4 agents, one that looks like them, an edit, a fetch; `&many`: 24 requests. */
  queue: (world, options) =>
    show(world, 'Make the payment tests green', queueLog(ID, Date.now(), options.has('many') ? 15 : 4)),
  troubles: (world) => {
    const message =
      'The transcript can’t be saved: the disk is full (/home/ada/.config/troupe/tasks/worker-4/transcript.jsonl). Free some space, then try again.'
    world.atStart = [
      { type: 'write-failure', failures: [{ conversationId: ID, agentIds: ['main', 'worker-4'], message }] },
    ]
    show(world, 'What goes wrong', troublesLog(ID, Date.now()))
  },
  messages: (world) => {
    const now = Date.now()
    show(world, 'Charged twice', messagesLog(ID, now), { updatedAt: now, queued: queuedMessages })
  },
  long: (world, options) =>
    keep(world, 'A long one', longLog(ID, Date.now(), Number(options.get('events') ?? 100_000))),
  agents: (world, options) => {
    stage(world, checkoutLog(ID, Date.now()), options)
    agents(world, agentTexts)
    keepUnsaved(world, (text) => text.replace('color: red', 'color: pink'))
  },
  /** The file and the user changed the same fields, and each some others. */
  'agents-conflict': (world) => {
    agents(world, agentTexts)
    keepUnsaved(world, (text) =>
      text
        .replace(/^description: .*$/m, 'description: Reviews every change before it is merged.')
        .replace(/^model: \w+/m, 'model: sonnet')
        .replace('what stops it', 'what would stop it'),
    )
    world.definitionFolder.changeOnDisk(
      REVIEWER_ID,
      world.definitionFolder
        .open(REVIEWER_ID)
        .text.replace(/^description: .*$/m, 'description: Finds leaks of secrets and broken access rules.')
        .replace(/^model: \w+/m, 'model: haiku')
        .replace(/^maxTurns: .*$/m, 'maxTurns: 40')
        .replace('what stops it', 'what is in its way'),
    )
  },
  /** A project's agent that got more rights than the user approved. */
  'agents-waiting': (world) =>
    agents(
      world,
      agentTexts.map((file) => {
        const isGrown = file.source === 'project' && file.path === 'security-reviewer.md'
        return isGrown ? { ...file, former: withFewerRights(file.text) } : file
      }),
    ),
  /** Files that need a fix that is shown first. */
  'agents-damaged': (world) =>
    agents(world, [
      {
        source: 'project',
        path: 'no-end.md',
        text: '---\nname: no-end\ndescription: Reads the logs of the shop.\ntools:\n  - Read\n  - Grep\n\n# How to\n\nLook for what repeats.\n',
      },
      {
        source: 'project',
        path: 'latin.md',
        text: '---\nname: latin\ndescription: Prüft die Übersetzungen, “alle”.\n---\n\nLies jede Datei für sich.\n',
        notUtf8: { encoding: 'Windows-1252 (Latin-1)', line: 3 },
      },
    ]),
  /** A system prompt of 200 KB. */
  'agents-long': (world) =>
    agents(world, [
      {
        source: 'project',
        path: 'long.md',
        text: `---\nname: long\ndescription: Knows a lot.\ntools: Read, Grep\n---\n\n${'## Part\n\nA line of instructions that says `what` to do, and **why**.\n\n- An item.\n'.repeat(2700)}`,
      },
    ]),
  'agents-many': (world) => agents(world, manyAgents(2000)),
  'agents-none': (world) => agents(world, []),
  'agents-untrusted': (world) => {
    world.folder = folderAt('/home/ada/src/checkout-service', { trusted: false })
    localStorage.setItem('trust-answered', JSON.stringify(['/home/ada/src/checkout-service']))
    agents(world, agentTexts)
  },
  /**
   * The mockup's test bench; `&running`: one version is being run; `&many`: 24 cases, 8 versions, 50 attempts; `&none`: no
   * cases; `&broken`: a case that can't be read, and no git.
   */
  'agent-tests': (world, options) => {
    const now = Date.now()
    const { path: folder = '' } = world.folder ?? {}
    const bench = options.has('many')
      ? largeBench(folder, now)
      : sceneBench(folder, { now, isRunning: options.has('running') })
    for (const log of attemptLogs(now)) world.keep(log, 'Attempt')
    if (!options.has('many') && !options.has('running'))
      localStorage.setItem(`agent-tests-columns:${folder}`, JSON.stringify(addedVersions))
    stage(world, checkoutLog(ID, now), options)
    agents(
      world,
      agentTexts.map((file) =>
        file.source === 'project' && file.path === 'security-reviewer.md'
          ? { ...file, text: reviewerTexts.inUse }
          : file,
      ),
    )
    keepUnsaved(world, () => reviewerTexts.draft)
    world.agentTests = options.has('none')
      ? {
          ...bench,
          agents: bench.agents.map((one) => ({ ...one, cases: 0 })),
          cases: [],
          runs: [],
          attempts: [],
        }
      : options.has('broken')
        ? { ...bench, problems: [BROKEN_CASE], refusal: NO_GIT }
        : bench
    world.atStart = [{ type: 'menu', command: 'test-agent' }]
  },
  /** The mockup's three worktrees, with an unsent comment. */
  review: (world, options) => {
    stage(world, checkoutLog(ID, Date.now()), options)
    review(world, reviewWorktrees(Date.now()))
    const comment = {
      key: '1',
      path: 'src/payments/charge.ts',
      line: 18,
      lastLine: null,
      side: 'after',
      quote: '  const key = order.chargeKey',
      text: 'should this throw when the order has no key yet?',
    }
    localStorage.setItem(
      'review-draft:/home/ada/src/checkout-service:refactorer-a91e42',
      JSON.stringify({ comments: [comment], editing: null, words: '' }),
    )
  },
  /** The same with a pull request. */
  'review-pull-request': (world, options) => {
    stage(world, checkoutLog(ID, Date.now()), options)
    review(world, reviewWorktrees(Date.now()))
    world.pullRequest = chargeOnce(Date.now())
    localStorage.setItem('pull-request-panel', 'open')
  },
  'review-states': (world, options) => {
    stage(world, checkoutLog(ID, Date.now()), options)
    review(world, allReviewStates(Date.now()))
    world.review.handlers['review.discard']({ folder: '', id: 'bench-9b0e77', confirm: null })
  },
  /** `&waits`: the commands wait for the user. */
  environments: (world, options) => {
    review(world, [...reviewWorktrees(Date.now()), ...overlappingWorktrees()])
    world.environments = sampleEnvironments(world.folder?.path ?? '', {
      now: Date.now(),
      waits: options.has('waits'),
    })
    world.output = sampleOutput(Date.now())
  },
  'environments-empty': (world) => review(world, []),
  'review-large': (world) => review(world, largeReview(Date.now())),
  'review-many': (world) => review(world, manyReviews(Date.now(), 60)),
  'review-empty': (world) => review(world, []),
  'review-none': (world) => {
    review(world, [])
    world.review.problem =
      'This folder is not in a git repository. Worktrees need one: run “git init” in it and commit once.'
  },
  /** The view of teams. `&stage`: the same on the Stage; `&members=17`: further idle members; `&stuck`: a member that holds a task was stopped; `&nats=failed`: the server can't be reached. */
  team: (world, options) => {
    const now = Date.now()
    const log = teamLog(ID, now, {
      more: Number(options.get('members') ?? 0),
      stuck: options.has('stuck'),
    })
    if (!options.has('stage')) world.afterOpening.push({ type: 'menu', command: 'teams' })
    world.workers = teamWorkers(now)
    if (options.get('nats') === 'failed')
      world.workers = {
        ...world.workers,
        nats: {
          kind: 'failed',
          url: 'tls://nats.lab:4222',
          message:
            'nats.lab:4222 can’t be reached: the connection was refused. Local work goes on; remote jobs wait. Start the server, or change the address in Settings.',
        },
      }
    world.mailboxes = [
      { name: 'release-manager', waiting: 3 },
      { name: 'nightly', waiting: 1 },
    ]
    show(world, 'Make retries idempotent', log, teamRecord(log, now))
  },
  /** The mockup's timeline; `&agents=100&spans=500`: a larger one; `&stage`: the same on the Stage. */
  timeline: (world, options) => {
    const now = Date.now()
    const [agents, spans] = [Number(options.get('agents') ?? 0), Number(options.get('spans') ?? 0)]
    if (!options.has('stage')) world.afterOpening.push({ type: 'menu', command: 'timeline' })
    if (agents > 0) return show(world, 'Many agents', crowdedTimeline(ID, now, agents, spans))
    show(world, 'Make retries idempotent', timelineLog(ID, now), timelineRecord(now))
  },
  /** The table of all conversations; `&conversations=1000`: of so many. */
  conversations: (world, options) => {
    world.afterOpening.push({ type: 'menu', command: 'conversations' })
    conversations(world, options)
  },
  /** The search, over the same conversations. */
  search: (world, options) => {
    world.afterOpening.push({ type: 'menu', command: 'search' })
    conversations(world, options)
  },
  /** What other agent programs keep, below the conversations; `&ask`: the user was not asked yet. */
  histories: (world, options) => {
    world.histories = sceneHistories(Date.now(), options.has('ask'))
    stage(world, checkoutLog(ID, Date.now()), options)
  },
  /** The mockup's external agents, one with subagents of its own; `&troubles`: a login, an error. */
  outside: (world, options) => {
    const now = Date.now()
    const log = options.has('troubles') ? outsideTroublesLog(ID, now) : outsideLog(ID, now)
    const title = options.has('troubles') ? 'Review of payments' : 'Four tries at one key'
    world.programs = scenePrograms
    const limits = { tokens: null, usd: 5, ms: null, spawns: null }
    show(world, title, log, { updatedAt: now, limits })
    if (options.has('troubles')) return
    world.conversations.say(
      log,
      liveText(
        'claude',
        'The order already has a place for it. settle() passes a third argument that I can drop: ',
      ),
    )
  },
  'team-none': (world) => {
    keep(world, 'Make retries idempotent', checkoutLog(ID, Date.now()))
  },
  /** `?harness=stream&panels=16&rate=100`: agents that stream endlessly. */
  stream: (world, options) => {
    const panels = Number(options.get('panels') ?? 16)
    const agentIds = Array.from({ length: panels }, (_, index) => `worker-${index + 1}`)
    const talking = speeches(agentIds, { rate: Number(options.get('rate') ?? 100), endless: true })
    show(world, 'Streaming', workersLog(ID, Date.now(), panels), {}, talking)
  },
}

function conversations(world: World, options: URLSearchParams): void {
  const now = Date.now()
  for (const { log, more } of manyConversations(now, Number(options.get('conversations') ?? 30)))
    world.keep(log, more.title ?? '', more)
  stage(world, checkoutLog(ID, now), options)
}

/** Known external agents; two of them can be started. */
function withPrograms(world: World, options: URLSearchParams): void {
  if (!options.has('programs')) return
  world.programs = scenePrograms
  world.definitions = [...definitions, ...programDefinitions]
}

/** One agent is near its limit, and one at its limit. */
const AGENT_LIMITS = new Map<string, Partial<SpendLimits>>([
  ['security', { usd: 0.4 }],
  ['explore', { tokens: 30_000, ms: 1_800_000 }],
])

const BROKEN_CASE = {
  file: '.claude/agent-tests/security-reviewer/token.yaml',
  line: 4,
  message: 'A case has no “chekcs”. Did you mean “checks”?',
}

const NO_GIT =
  'These cases begin at a commit, and this folder is in no git repository. Make one, or give a case files of its own.'

/** Starts the window in Review. */
function review(world: World, worktrees: World['review']['all']): void {
  world.review.all = worktrees
  world.atStart = [{ type: 'menu', command: 'review' }]
}

const REVIEWER_ID = '/home/ada/src/checkout-service/.claude/agents/security-reviewer.md'

/** The user changed the reviewer in an earlier session and did not save. */
function keepUnsaved(world: World, change: (text: string) => string): void {
  const { text, version } = world.definitionFolder.open(REVIEWER_ID)
  localStorage.setItem(
    `definition-draft:${REVIEWER_ID}`,
    JSON.stringify({
      id: REVIEWER_ID,
      folder: '/home/ada/src/checkout-service',
      source: 'project',
      path: 'security-reviewer.md',
      ...{ base: text, version, text: change(text) },
    }),
  )
}

/** Starts the window in the Agents view. */
const withFewerRights = (text: string): string =>
  text.replace(/^tools: .*$/m, 'tools: Read, Glob, Grep').replace(/^(permissionMode: ).*$/m, '$1plan')

function agents(world: World, files: typeof agentTexts): void {
  world.definitionFolder.fill(files)
  world.atStart = [{ type: 'menu', command: 'agents' }]
}

/** Shows the mockup's conversation; its agents stream, unless `?still`. */
function stage(
  world: World,
  log: SampleLog,
  options: URLSearchParams,
  more: Partial<ConversationRecord> = {},
): void {
  const talking = options.has('still')
    ? new Map([
        ['explore', speechOnce('Two call sites make their own key: ')],
        ['tests', speechOnce('The test fails for the right reason. ')],
        ['security', speechOnce('Checking whether the gateway error is logged with the card token ')],
      ])
    : speeches(['explore', 'tests', 'security'], { rate: 25, endless: false })
  show(world, 'Make retries idempotent', log, more, talking)
  world.conversations.say(log, {
    type: 'live-output',
    agentId: 'tests',
    toolUseId: runningTool(log, 'tests'),
    append:
      ' RUN  double-charge.test.ts\n\u001b[31m ✗ charges once when the first attempt times out\u001b[0m\n   expected 1 charge, got 2\n\u001b[32m ✓ keeps the key across a restart\u001b[0m\n',
  })
}

function liveText(agentId: string, append: string): LiveEvent {
  return { type: 'live-block', agentId, index: 0, kind: 'text', name: '', append }
}

function runningTool({ events }: SampleLog, agentId: string): string {
  const started = events.findLast((event) => event.agentId === agentId && event.type === 'tool-started')
  return started?.type === 'tool-started' ? started.toolUseId : ''
}

/** Shows a conversation with working agents. */
function show(
  world: World,
  title: string,
  log: SampleLog,
  more: Partial<ConversationRecord> = {},
  talking?: ReadonlyMap<string, Speech>,
): void {
  keepOld(world)
  openAtStart(log)
  world.show(log, { title, ...more }, talking)
}

/** Shows a conversation without working agents. */
function keep(world: World, title: string, log: SampleLog, more: Partial<ConversationRecord> = {}): void {
  keepOld(world)
  openAtStart(log)
  world.keep(log, title, more)
}

/** Older conversations, for the list. */
function keepOld(world: World): void {
  for (const [index, [title, ago]] of OLD.entries()) {
    const log = new SampleLog({ conversationId: `old-${index}`, now: Date.now() - ago, step: 0 })
    const id = `old-main-${index}`
    log.starts({ id, name: 'main', color: 'neutral', task: '', maxTurns: 100 })
    log.receives(id, title, 'user')
    log.pass(60_000).answers(id, {
      text: `Done. I looked into **${title.toLowerCase()}** and changed two files:\n\n- \`src/cart.ts\`\n- \`test/cart.test.ts\`\n\nAll tests pass.`,
    })
    log.status(id, 'waiting', 'message')
    world.keep(log, title)
  }
}

const HOUR = 3_600_000
const OLD = [
  ['Move cart to server actions', 2 * HOUR],
  ['Why does CI flake on Fridays?', 26 * HOUR],
  ['Upgrade to React 19', 3 * 24 * HOUR],
] as const

function openAtStart({ conversationId }: SampleLog): void {
  localStorage.setItem('last-conversation:/home/ada/src/checkout-service', conversationId)
}
