/** The window under load: agents streaming markdown, typing, and the delay of a permission request. */
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright'
import type { AgentEvent } from '../src/shared/events/agent-event.ts'
import { openTroupe } from './electron.ts'
import { type Figure, median, percentile } from './figure.ts'
import { eventLoopDelay, type Frames, frames } from './frames.ts'
import { PROSE } from './prose.ts'
import { inFreshFolders } from './troupe.ts'

const SECONDS = 8
/** ms. So many agents are not started in a moment. */
const STARTED_WITHIN = 180_000

export async function measure(): Promise<readonly Figure[]> {
  return [...(await sixteen()), ...(await twentyFour()), ...(await hundreds())]
}

function sixteen(): Promise<readonly Figure[]> {
  const agents = 16
  return withAgents({ agents }, async ({ page, home, idle, idleDelay, busy, busyDelay }) => {
    const echoes = await typing(page)
    const prompts = await requestDelays(page, home, EARLIER)
    return [
      work(agents, busy, idle, '≤ 8 ms'),
      {
        name: `${agents} agents stream markdown: frames a second`,
        unit: 'fps',
        runs: [busy.fps],
        reference: { name: 'idle', runs: [idle.fps] },
        target: 'within 5 % of idle',
        met: busy.fps >= 0.95 * idle.fps,
      },
      {
        name: 'typing while they stream: key to the frame that shows it',
        unit: 'ms',
        runs: echoes,
        target: '≤ 30 ms',
        met: median(echoes) <= 30,
      },
      {
        name: `main process, ${agents} live agents: event-loop delay, p99`,
        unit: 'ms',
        runs: [busyDelay],
        reference: { name: 'idle', runs: [idleDelay] },
        target: '≤ 16 ms',
        met: busyDelay <= 16,
      },
      {
        name: 'an agent asks while 15 stream: until the request is in the page',
        unit: 'ms',
        runs: prompts,
        target: '≤ 50 ms',
        met: median(prompts) <= 50,
      },
    ]
  })
}

function twentyFour(): Promise<readonly Figure[]> {
  const agents = 24
  return withAgents({ agents }, async ({ page, home, idle, busy }) => {
    const echoes = await typing(page)
    const together = (await requestDelays(page, home, EARLIER + 1)).slice(EARLIER)
    const late = percentile(busy.gaps, 0.99)
    const echo = percentile(echoes, 0.95)
    return [
      fps(agents, busy, idle, 58),
      {
        name: `${agents} agents stream markdown: from frame to frame, p99`,
        unit: 'ms',
        runs: [late],
        reference: { name: 'idle', runs: [percentile(idle.gaps, 0.99)] },
        target: '≤ 33 ms',
        met: late <= 33,
      },
      {
        name: `typing while ${agents} stream: key to the frame that shows it, p95`,
        unit: 'ms',
        runs: [echo],
        target: '≤ 30 ms',
        met: echo <= 30,
      },
      {
        name: `${agents - EARLIER} agents ask at the same moment: until the first request is in the page`,
        unit: 'ms',
        runs: together,
        target: 'none: one request has the goal',
        met: true,
      },
    ]
  })
}

/** As many as the setting allows at once stream; the others wait for their place, in the tree and as tiles. */
function hundreds(): Promise<readonly Figure[]> {
  const agents = 300
  return withAgents({ agents }, async ({ idle, busy }) => [
    work(agents, busy, idle, 'none: input of the next row'),
    fps(agents, busy, idle, 30),
  ])
}

function work(agents: number, busy: Frames, idle: Frames, target: string): Figure {
  const share = percentile(busy.work, 0.95)
  return {
    name: `${agents} agents stream markdown at 100 tokens/s: script, style and layout a frame, CPU, p95`,
    unit: 'ms',
    runs: [share],
    reference: { name: 'idle', runs: [percentile(idle.work, 0.95)] },
    target,
    met: share <= 8 || target.startsWith('none'),
  }
}

function fps(agents: number, busy: Frames, idle: Frames, least: number): Figure {
  return {
    name: `${agents} agents stream markdown: frames a second`,
    unit: 'fps',
    runs: [busy.fps],
    reference: { name: 'idle', runs: [idle.fps] },
    target: `≥ ${least} fps`,
    met: busy.fps >= least,
  }
}

interface Load {
  readonly page: Page
  readonly home: string
  readonly idle: Frames
  /** ms, as of the busy main process. */
  readonly idleDelay: number
  readonly busy: Frames
  readonly busyDelay: number
}

/** Opens the window with agents that stream, and measures it before and while they do. */
function withAgents(
  { agents }: { readonly agents: number },
  measured: (load: Load) => Promise<readonly Figure[]>,
): Promise<readonly Figure[]> {
  const settings = {
    access: { kind: 'rehearsal' },
    maxParallelAgents: Math.max(20, Math.min(agents + 1, 50)),
    maxAgents: agents + 1,
    stageLayout: 'grid',
  }
  return inFreshFolders(settings, async (folders) => {
    const scenario = join(folders.home, 'scenario.yaml')
    await writeFile(scenario, JSON.stringify(scenarioOf(agents)))
    const { app, page } = await openTroupe(folders, {
      TROUPE_SCENARIO: scenario,
      TROUPE_REHEARSAL_PACE: '100',
    })
    const idleDelay = await eventLoopDelay(app, 3)
    const idle = await frames(page, 3)
    await watchRequests(page)
    await page.locator('textarea[aria-label="Message"]').fill('Talk')
    await page.locator('textarea[aria-label="Message"]').press('Enter')
    await page
      .getByText(new RegExp(`talk ${Math.min(agents, 16)}\\b`))
      .first()
      .waitFor({ timeout: STARTED_WITHIN })
    const [busyDelay, busy] = await Promise.all([eventLoopDelay(app, SECONDS), frames(page, SECONDS)])
    const figures = await measured({ page, home: folders.home, idle, idleDelay, busy, busyDelay })
    await app.close()
    return figures
  })
}

/** So many agents ask before the others, one after the other. */
const EARLIER = 3
/** Of the text of an agent that asks with the others. */
const PARTS = 12

const scenarioOf = (agents: number) => ({
  name: 'Agents that stream',
  steps: [
    {
      agent: '/main agent/',
      turn: 1,
      reply: [
        {
          tool: 'Agent',
          repeat: agents,
          input: { description: 'talk {{n}}', subagent_type: 'general-purpose', prompt: 'Talker {{n}}' },
        },
      ],
    },
    ...Array.from({ length: EARLIER }, (_, i) => talker(`/Talker ${i + 1}\\b/`, PARTS - EARLIER + i)),
    talker('/Talker \\d+/', PARTS),
    { reply: 'Done.' },
  ],
})

function talker(agent: string, parts: number) {
  const write = { tool: 'Write', input: { file_path: 'talk.md', content: 'Talk.' } }
  return { agent, turn: 1, reply: [{ text: PROSE.repeat(parts) }, write] }
}

type Watched = Window & { seen: Map<string, number> }

/** Records when each request was first in the page. */
async function watchRequests(page: Page): Promise<void> {
  await page.evaluate(() => {
    const seen = new Map<string, number>()
    Object.assign(window, { seen })
    new MutationObserver(() => {
      for (const element of document.querySelectorAll<HTMLElement>('[data-request]')) {
        const id = element.dataset['request']
        if (id !== undefined && !seen.has(id)) seen.set(id, Date.now())
      }
    }).observe(document.body, { childList: true, subtree: true })
  })
}

/** ms from the event to the page, of the first `count` requests. */
async function requestDelays(page: Page, home: string, count: number): Promise<readonly number[]> {
  await page.waitForFunction((least) => (window as unknown as Watched).seen.size >= least, count, {
    timeout: STARTED_WITHIN,
  })
  const seen = await page.evaluate(() => [...(window as unknown as Watched).seen])
  const all = await events(home)
  return seen.slice(0, count).flatMap(([requestId, at]) => {
    const asked = all.find((event) => event.type === 'permission-asked' && event.requestId === requestId)
    return asked ? [at - asked.at] : []
  })
}

async function events(home: string): Promise<readonly AgentEvent[]> {
  const tasks = join(home, 'tasks')
  const texts = await Promise.all(
    (await readdir(tasks)).map((id) => readFile(join(tasks, id, 'transcript.jsonl'), 'utf8').catch(() => '')),
  )
  return texts.flatMap((text) =>
    text
      .split('\n')
      .filter((line) => line.endsWith('}'))
      .map((line) => JSON.parse(line) as AgentEvent),
  )
}

async function typing(page: Page): Promise<readonly number[]> {
  await page.evaluate(() => {
    const echoes: number[] = []
    Object.assign(window, { echoes })
    document.addEventListener(
      'keydown',
      (event) => {
        const pressed = event.timeStamp
        requestAnimationFrame(() => setTimeout(() => echoes.push(performance.now() - pressed)))
      },
      true,
    )
  })
  const field = page.locator('textarea[aria-label="Message"]')
  await field.click()
  await field.pressSequentially('typing while the agents stream', { delay: 40 })
  return page.evaluate(() => (window as unknown as { echoes: number[] }).echoes)
}
