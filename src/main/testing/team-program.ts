/**
 * A process in which a leader and four members finish twelve dependent tasks:
 * `team-program DATA PROJECT [CONVERSATION [team]]`. With a conversation, its agents continue; with `team`, the user
 * resumes only the stuck team. Each task appends a line to a file. Prints the conversation's id, then a
 * line for each completed task, and `settled`.
 */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { defaultSettings } from '../../shared/settings/settings.ts'
import type {
  Director,
  RequestToolResult,
  ScriptedReply,
  ScriptedRequest,
} from '../features/rehearsal/director.ts'
import { startScriptedServer } from '../features/rehearsal/feature.ts'
import { composeRuntime } from '../features.ts'
import { beginConversation } from '../runtime/testing/event-watch.ts'
import { withoutSandbox } from './without-sandbox.ts'

/** By id: the tasks that a task waits for. */
const TASKS: readonly (readonly string[])[] = [
  [],
  [],
  [],
  ['1'],
  ['2'],
  ['3'],
  ['4', '5'],
  ['5', '6'],
  ['7'],
  ['8'],
  ['9', '10'],
  ['11'],
]

type Call = { readonly name: string; readonly input: unknown }

const saying = (text: string): ScriptedReply => ({ blocks: [{ type: 'text', text }] })
const calling = (...calls: readonly Call[]): ScriptedReply => ({
  blocks: calls.map((call) => ({ type: 'tool_use', ...call })),
})

function leader({ messages }: ScriptedRequest): ScriptedReply {
  const news = (messages.at(-1)?.content ?? []).map((block) => ('text' in block ? block.text : '')).join()
  const left = /resumed the team[\s\S]*?- task (\d+)/.exec(news)?.[1]
  if (left !== undefined) return calling({ name: 'TaskUpdate', input: { task_id: left, owner: 'ada' } })
  const turn = messages.filter(({ role }) => role === 'assistant').length
  if (turn === 0)
    return calling(
      ...TASKS.map((depends_on, index) => ({
        name: 'TaskCreate',
        input: { subject: `task ${index + 1}`, depends_on },
      })),
    )
  if (turn > 1) return saying('I wait for the members.')
  const members = ['ada', 'bob', 'eve', 'kim'].map((name) => ({
    name,
    agent: 'general-purpose',
    prompt: 'Take tasks from the task list until none is free.',
  }))
  return calling({ name: 'TeamCreate', input: { name: 'pay', members } })
}

/** Claims a free task, appends its line, completes it, and so on. After an interruption it looks before it appends. */
function member({ messages }: ScriptedRequest): ScriptedReply {
  const results = new Map<string, RequestToolResult>()
  for (const { content } of messages)
    for (const block of content) if (block.type === 'tool_result') results.set(block.toolUseId, block)
  const last = messages.at(-1)?.content ?? []
  const news = last.map((block) => ('text' in block ? block.text : '')).join('\n')
  let task: string | null = null
  let step: 'claimed' | 'maybe appended' | 'appended' = 'claimed'
  for (const { content } of messages)
    for (const block of content) {
      if (block.type === 'text') {
        // The claim may have taken effect although its result was lost.
        const held = /(?:You still have|you, because|gave you) task (\d+)/.exec(block.text)?.[1]
        if (held !== undefined && held !== task) [task, step] = [held, 'claimed']
      }
      if (block.type !== 'tool_use') continue
      const result = results.get(block.id)
      const input = JSON.stringify(block.input)
      const id = /"task_id":"(\d+)"/.exec(input)?.[1]
      if (input.includes('in_progress') && result?.text.includes('is yours')) {
        task = id ?? null
        step = 'claimed'
      } else if (block.name === 'Bash') step = result?.isError === false ? 'appended' : 'maybe appended'
      else if (input.includes('"completed"') && result?.isError === false) task = null
    }
  if (task !== null) {
    const append = `echo task-${task} >> effects`
    const command = step === 'claimed' ? append : `grep -qx task-${task} effects || ${append}`
    if (step !== 'appended') return calling({ name: 'Bash', input: { command } })
    return calling({ name: 'TaskUpdate', input: { task_id: task, status: 'completed' } })
  }
  const free = (/Free now: (\d+)/.exec(news) ??
    /Task (\d+) is free/.exec(news) ??
    /(\d+)\. \[free\]/.exec(news))?.[1]
  if (free !== undefined)
    return calling({ name: 'TaskUpdate', input: { task_id: free, status: 'in_progress' } })
  const looks = news.includes('resumed you') || messages.length === 1
  return looks ? calling({ name: 'TaskList', input: {} }) : saying('No task is free for me.')
}

const director: Director = {
  reply: async (request) => (request.system.includes('# Your team') ? member(request) : leader(request)),
}

const [dataFolder = '', folder = '', existing, only] = process.argv.slice(2)
const root = join(import.meta.dirname, '..', '..', '..')
const server = await startScriptedServer({ director, pace: 0 })
const program = await composeRuntime({
  dataFolder,
  home: dataFolder,
  environment: { PATH: process.env['PATH'] },
  settings: {
    current: { ...defaultSettings, ...withoutSandbox, trustedFolders: [folder], bypassFolders: [folder] },
  },
  agentsFolder: join(root, 'agents'),
  docsFolder: join(root, 'docs'),
  rehearsal: { pace: 0, scenarioFile: null },
})
await program.switchAccess({ kind: 'api', key: server.apiKey, baseUrl: server.baseUrl })
const { runtime } = program
const print = (line: string) => process.stdout.write(`${line}\n`)
runtime.subscribe((delta) => {
  if (delta.type !== 'conversation-event' || delta.event.type !== 'task-changed') return
  const { id, status } = delta.event.task
  if (status === 'completed') print(`completed ${id}`)
})
const conversationId = existing ?? (await begin())
print(`conversation ${conversationId}`)
if (existing !== undefined) {
  const continued =
    only === 'team'
      ? await resumeTeam(existing)
      : await runtime.dispatch({ type: 'conversation.continue', conversationId })
  if (!continued.ok) throw new Error(continued.failure.message)
}
await runtime.settled(conversationId)
await program.close()
await server.close()
print('settled')
// The file shows that the program came to its end with a readable folder.
await readFile(join(folder, 'effects'))

async function resumeTeam(conversationId: string) {
  const snapshot = await runtime.snapshot(conversationId)
  if (!snapshot.ok) return snapshot
  const [team] = snapshot.value.record.teams
  return runtime.dispatch({ type: 'team.resume', conversationId, teamId: team?.id ?? '' })
}

async function begin(): Promise<string> {
  return await beginConversation(runtime, 'Finish the twelve tasks.', {
    folder,
    permissionMode: 'bypassPermissions',
  })
}
