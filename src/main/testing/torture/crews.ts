/** The crews: eight agents in parallel, a mix of background agents and messages, and eight agents in worktrees. */
import { append, type CrewScript, call, type Turn } from './crew.ts'

/** An agent's turns; the message after them is its report. */
const TURNS = 4

const start = (name: string, more: object = {}): object => ({
  description: `member ${name}`,
  prompt: `You are agent ${name}. Append, turn by turn.`,
  ...more,
})

/** All agents in the foreground. */
export const plainCrew: CrewScript = {
  files: {},
  isRepository: false,
  starts: Array.from({ length: 8 }, (_, index) => start(`a${index}`)),
  resumesBehind: false,
  after: () => [],
  turn: work,
}

/**
 * Background agents, a fork, an agent that starts another in the background, and talkers that write to running
 * agents, to ended ones, and to one that does not exist yet.
 */
export const livelyCrew: CrewScript = {
  files: {
    '.claude/agents/talker.md': definition('talker', 'tools: Bash, Write, Read, SendMessage'),
    '.claude/agents/chief.md': definition('chief', 'tools: Bash, Write, Read, Agent(talker)'),
    '.claude/agents/forker.md': definition('forker', 'forkContext: true'),
  },
  isRepository: false,
  starts: [
    start('ann', { name: 'ann', subagent_type: 'talker' }),
    start('bob', { name: 'bob', subagent_type: 'talker', run_in_background: true }),
    start('cy', { name: 'cy', subagent_type: 'talker', run_in_background: true }),
    start('dan', { name: 'dan', subagent_type: 'chief' }),
    start('eve', { subagent_type: 'forker' }),
    start('fay', { run_in_background: true }),
    start('gus'),
    start('hal'),
  ],
  resumesBehind: true,
  after: (said) => [
    call('SendMessage', { to: 'bob', message: `word-main-${said}a` }),
    call('SendMessage', { to: 'late', message: `word-main-${said}b` }),
    call('Agent', start(`late${said}`, { name: 'late', subagent_type: 'talker' })),
    call('TaskOutput', { task_id: 'cy', timeout: 100 }),
  ],
  turn: (name, turn) => {
    if (turn >= TURNS) return null
    if (name === 'dan' && turn === 0)
      return [
        append('dan-0'),
        call('Agent', start('ida', { name: 'ida', subagent_type: 'talker', run_in_background: true })),
      ]
    const to = LISTENERS[name.replace(/\d+$/, '')]
    if (to === undefined || turn % 2 === 0) return work(name, turn)
    return [append(`${name}-${turn}`), call('SendMessage', { to, message: `word-${name}-${turn}` })]
  },
}

/** Each in a git worktree of its own, some in the background, one with a helper that works in its worktree. */
export const apartCrew: CrewScript = {
  files: {
    'README.md': '# Apart\n',
    '.claude/agents/chief.md': definition('chief', 'tools: Bash, Write, Read, Agent(general-purpose)'),
  },
  isRepository: true,
  starts: Array.from({ length: 8 }, (_, index) =>
    start(index === 7 ? 'dan' : `w${index}`, {
      isolation: 'worktree',
      ...(index === 7 ? { subagent_type: 'chief' } : { run_in_background: index % 3 === 2 }),
    }),
  ),
  resumesBehind: true,
  after: () => [],
  turn: (name, turn) =>
    name === 'dan' && turn === 0 ? [append('dan-0'), call('Agent', start('helper'))] : work(name, turn),
}

/** The receiver of a talker's messages. */
const LISTENERS: Readonly<Record<string, string>> = {
  ann: 'bob',
  bob: 'cy',
  cy: 'ann',
  ida: 'dan',
  late: 'ann',
}

function work(name: string, turn: number): Turn | null {
  if (turn >= TURNS) return null
  const effect = `${name}-${turn}`
  if (turn % 2 === 0) return [{ type: 'text', text: `Turn ${turn}.` }, append(effect)]
  return [
    call('Write', { file_path: `${effect}.txt`, content: `${effect}\n` }),
    append(effect),
    call('Read', { file_path: `${effect}.txt` }),
  ]
}

function definition(name: string, field: string): string {
  return `---\nname: ${name}\ndescription: One of the crew.\n${field}\n---\nYou are one of the crew.\n`
}
