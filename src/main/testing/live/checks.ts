/**
 * The checks of `npm run live`: what the program does with the real API, each on its own small folder. A model may answer
 * in other words than expected, so each looks for facts: a word that only a file has, a file on the disk, a request that
 * the API accepted.
 */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { AgentEvent } from '../../../shared/events/agent-event.ts'
import type { ResultLine } from '../../features/run/run-outcome.ts'
import type { Exchange } from './gate.ts'

/** A run of `troupe run --json`. */
export interface Run {
  /** Null if a signal ended the process. */
  readonly code: number | null
  readonly events: readonly AgentEvent[]
  /** Null: the run ended before it had one. */
  readonly result: ResultLine | null
  readonly errors: string
}

interface Place {
  /** The working folder, with the check's files. */
  readonly folder: string
  readonly model: string
  /** A word that no model can know. */
  readonly word: string
  /** The ids of the models that the API lists. */
  models(): Promise<readonly string[]>
  run(words: readonly string[], options?: RunOptions): Promise<Run>
  /** The exchanges since the check began. */
  exchanges(): readonly Exchange[]
}

interface RunOptions {
  /** In place of the right key. */
  readonly key?: string
  /** Interrupts the run when the API begins to answer. */
  readonly interrupt?: true
}

/** `shown`: a sentence for the table. `absent`: the model did not do what the check is about. */
export type Verdict = { readonly kind: 'verified' | 'failed' | 'absent'; readonly shown: string }

export interface Check {
  readonly name: string
  /** What it is about, for the table. */
  readonly about: string
  readonly files?: (word: string) => Readonly<Record<string, string>>
  readonly check: (place: Place) => Promise<Verdict>
}

const verified = (shown: string): Verdict => ({ kind: 'verified', shown })
const failed = (shown: string): Verdict => ({ kind: 'failed', shown })
const absent = (shown: string): Verdict => ({ kind: 'absent', shown })

export const CHECKS: readonly Check[] = [
  {
    name: 'models',
    about: 'The API lists its models, and the chosen one is among them.',
    check: async ({ models, model }) => {
      const listed = await models()
      return listed.includes(model)
        ? verified(`${listed.length} models are listed.`)
        : failed(`${model} is not among the ${listed.length} listed models.`)
    },
  },
  {
    name: 'exchange',
    about: 'A task is answered, and the stream ends as it should.',
    check: async ({ run, word, exchanges }) => {
      const done = await run([`Answer with exactly this word and nothing else: ${word}`])
      return (
        broken(done) ??
        refusedIn(exchanges()) ??
        (exchanges().every(({ answer }) => answer.includes('message_stop'))
          ? has(done, word, 'The answer is the word that was asked for.')
          : failed('A stream ended without message_stop.'))
      )
    },
  },
  {
    name: 'tool',
    about: 'A tool call and its result.',
    files: (word) => ({ 'note.txt': `The word is ${word}.\n` }),
    check: async ({ run, word, exchanges }) => {
      const done = await run([
        'Read the file note.txt with the Read tool. Answer with the word that it names.',
      ])
      return (
        broken(done) ??
        refusedIn(exchanges()) ??
        (calls(done, 'Read') === 0
          ? absent('The model did not call Read.')
          : has(done, word, 'The model read the file and named its word.'))
      )
    },
  },
  {
    name: 'thinking',
    about: 'Thinking is sent back between tool calls, and the API accepts it.',
    files: () => ({ 'a.txt': 'Next: b.txt. Number: 17\n', 'b.txt': 'Next: none. Number: 25\n' }),
    check: async ({ run, exchanges }) => {
      const done = await run([
        'Think before each step. Read a.txt; it names the next file; read that one only afterwards. Answer with the product of the two numbers.',
      ])
      const sentBack = exchanges().filter(({ request }) =>
        /"type":"(redacted_)?thinking","/.test(JSON.stringify(request.messages)),
      )
      return (
        broken(done) ??
        refusedIn(exchanges()) ??
        (sentBack.length === 0
          ? absent('The model did not think, so nothing was sent back.')
          : has(done, '425', `${sentBack.length} requests with thinking were accepted.`))
      )
    },
  },
  {
    name: 'cache',
    about: 'The second turn reads the prompt from the cache.',
    files: (word) => ({ 'note.txt': `The word is ${word}.\n` }),
    check: async ({ run, exchanges }) => {
      const done = await run(['Read the file note.txt. Answer with the word that it names.'])
      const usage = done.result?.usage
      return (
        broken(done) ??
        refusedIn(exchanges()) ??
        (exchanges().length < 2
          ? absent('There was no second turn.')
          : (usage?.cacheRead ?? 0) > 0
            ? verified(`${usage?.cacheRead} of ${promptTokens(usage)} prompt tokens came from the cache.`)
            : failed(`None of ${promptTokens(usage)} prompt tokens came from the cache.`))
      )
    },
  },
  {
    name: 'edit',
    about: 'A file is changed as asked.',
    files: () => ({ 'greeting.txt': 'Hello wrold, and goodbye.\n' }),
    check: async ({ run, folder, exchanges }) => {
      const done = await run([
        'Correct the spelling mistake in greeting.txt with the Edit tool. Change nothing else.',
        '--permission-mode',
        'acceptEdits',
      ])
      const text = await readFile(join(folder, 'greeting.txt'), 'utf8')
      return (
        broken(done) ??
        refusedIn(exchanges()) ??
        (text === 'Hello world, and goodbye.\n'
          ? verified('The word is corrected, and the rest is as before.')
          : failed(`The file says ${JSON.stringify(text.slice(0, 80))}.`))
      )
    },
  },
  {
    name: 'subagents',
    about: 'Two subagents work in parallel and report.',
    files: (word) => ({ 'left.txt': `${word}-left\n`, 'right.txt': `${word}-right\n` }),
    check: async ({ run, word, exchanges }) => {
      const done = await run([
        'Start two subagents in one message with the Agent tool: one reports the content of left.txt, the other that of right.txt. Do not read the files yourself. Answer with both contents.',
      ])
      const children = done.result?.agents.filter(({ parentId }) => parentId !== null) ?? []
      return (
        broken(done) ??
        refusedIn(exchanges()) ??
        (children.length < 2
          ? absent(`The model started ${children.length} subagents.`)
          : children.some(({ status }) => status !== 'completed')
            ? failed(`They ended as ${children.map(({ status }) => status).join(', ')}.`)
            : done.result?.report.includes(`${word}-left`)
              ? has(done, `${word}-right`, `${children.length} subagents reported.`)
              : failed('The answer lacks a report.'))
      )
    },
  },
  {
    name: 'denial',
    about: 'A denied command is told to the model, which goes on.',
    check: async ({ run, folder, exchanges }) => {
      const done = await run([
        'Run the command "touch made.txt" with the Bash tool, once. If it is not allowed, answer with the word "denied".',
        '--deny',
        'Bash(touch *)',
      ])
      const made = await readFile(join(folder, 'made.txt')).catch(() => null)
      return (
        broken(done) ??
        refusedIn(exchanges()) ??
        (made !== null
          ? failed('The command ran.')
          : /"is_error":true/.test(JSON.stringify(exchanges().at(-1)?.request.messages))
            ? verified('The command did not run, and the API accepted the denial as its result.')
            : absent('The model did not try the command.'))
      )
    },
  },
  {
    name: 'resume',
    about: 'A run that was interrupted in the middle of an answer is resumed.',
    check: async ({ run, word, exchanges }) => {
      const first = await run(
        [`Remember the word ${word}. Write the numbers from 1 to 300 as words, one in each line.`],
        { interrupt: true },
      )
      const agent = first.events.find(({ type }) => type === 'agent-spawned')?.agentId
      if (agent === undefined) return failed(`The first run has no agent: ${brief(first.errors)}`)
      if (first.code !== 130) return failed(`The interrupted run ended with ${first.code} in place of 130.`)
      const before = exchanges().length
      const second = await run(['Which word did I ask you to remember? Answer with it.', '--resume', agent])
      return (
        broken(second) ??
        refusedIn(exchanges().slice(before)) ??
        has(second, word, 'The history with a cut answer was accepted, and the word was known.')
      )
    },
  },
  {
    name: 'refusals',
    about: 'A wrong key and an unknown model are said in words.',
    check: async ({ run }) => {
      const [wrongKey, wrongModel] = await Promise.all([
        run(['Hello'], { key: 'sk-ant-this-is-not-a-key' }),
        run(['Hello', '--model', 'claude-no-such-model']),
      ])
      if (wrongKey.code === 0) return failed('A wrong key was accepted.')
      if (!/key/i.test(saidBy(wrongKey))) return failed(`A wrong key is said as: ${brief(saidBy(wrongKey))}`)
      if (wrongModel.code === 0) return failed('An unknown model answered.')
      return saidBy(wrongModel).includes('claude-no-such-model')
        ? verified('Both say what is wrong.')
        : failed(`An unknown model is said as: ${brief(saidBy(wrongModel))}`)
    },
  },
]

const saidBy = ({ errors, result }: Run): string => `${errors}\n${result?.report ?? ''}`

/** Why a run can't show anything; null: it ended well. */
function broken(run: Run): Verdict | null {
  if (run.result?.ok && run.code === 0) return null
  return failed(`The run ended with ${run.code}: ${brief(saidBy(run))}`)
}

/** The first request that the API refused for what it says. Too many requests are none. */
function refusedIn(exchanges: readonly Exchange[]): Verdict | null {
  const refused = exchanges.find(({ status }) => status === 0 || (status >= 400 && status < 429))
  return refused === undefined
    ? null
    : failed(`A request was refused (${refused.status}): ${brief(refused.answer)}`)
}

const has = ({ result }: Run, word: string, shown: string): Verdict =>
  result?.report.includes(word)
    ? verified(shown)
    : failed(`The answer lacks "${word}": ${brief(result?.report ?? '')}`)

const calls = ({ events }: Run, tool: string): number =>
  events.filter((event) => event.type === 'tool-started' && event.name === tool).length

const promptTokens = (usage: ResultLine['usage'] | undefined): number =>
  (usage?.input ?? 0) + (usage?.cacheRead ?? 0) + (usage?.cacheWrite ?? 0)

const brief = (text: string): string => text.trim().replace(/\s+/g, ' ').slice(0, 200) || 'nothing'
