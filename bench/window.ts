/** The window under load: 16 agents streaming markdown, typing, and the delay of a permission request. */
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright'
import type { AgentEvent } from '../src/shared/events/agent-event.ts'
import { openTroupe } from './electron.ts'
import { type Figure, median, percentile } from './figure.ts'
import { eventLoopDelay, frames } from './frames.ts'
import { PROSE } from './prose.ts'
import { inFreshFolders } from './troupe.ts'

const AGENTS = 16
const SECONDS = 8

const SCENARIO = JSON.stringify({
  name: 'Sixteen agents that stream',
  steps: [
    {
      agent: '/main agent/',
      turn: 1,
      reply: [
        {
          tool: 'Agent',
          repeat: AGENTS,
          input: { description: 'talk {{n}}', subagent_type: 'general-purpose', prompt: 'Talker {{n}}' },
        },
      ],
    },
    {
      agent: '/Talker \\d+/',
      turn: 1,
      reply: [
        { text: PROSE.repeat(12) },
        { tool: 'Write', input: { file_path: 'talk.md', content: 'Talk.' } },
      ],
    },
    { reply: 'Done.' },
  ],
})

export async function measure(): Promise<readonly Figure[]> {
  return inFreshFolders(
    { access: { kind: 'rehearsal' }, maxParallelAgents: 20, stageLayout: 'grid' },
    async (folders) => {
      const scenario = join(folders.home, 'scenario.yaml')
      await writeFile(scenario, SCENARIO)
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
        .getByText(/talk 16/)
        .first()
        .waitFor()
      const [busyDelay, busy] = await Promise.all([eventLoopDelay(app, SECONDS), frames(page, SECONDS)])
      const echoes = await typing(page)
      await page.waitForFunction(
        (agents) => (window as unknown as Watched).seen.size >= Math.min(4, agents),
        AGENTS,
        {
          timeout: 120_000,
        },
      )
      const seen = await page.evaluate(() => [...(window as unknown as Watched).seen])
      const prompts = requestDelays(seen, await events(folders.home))
      await app.close()
      return [
        {
          name: `${AGENTS} agents stream markdown at 100 tokens/s: script, style and layout a frame, CPU, p95`,
          unit: 'ms',
          runs: [percentile(busy.work, 0.95)],
          reference: { name: 'idle', runs: [percentile(idle.work, 0.95)] },
          target: '≤ 8 ms',
          met: percentile(busy.work, 0.95) <= 8,
        },
        {
          name: `${AGENTS} agents stream markdown: frames a second`,
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
          name: `main process, ${AGENTS} live agents: event-loop delay, p99`,
          unit: 'ms',
          runs: [busyDelay],
          reference: { name: 'idle', runs: [idleDelay] },
          target: '≤ 16 ms',
          met: busyDelay <= 16,
        },
        {
          name: 'an agent asks: until the request is in the page',
          unit: 'ms',
          runs: prompts,
          target: '≤ 50 ms',
          met: median(prompts) <= 50,
        },
      ]
    },
  )
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

function requestDelays(
  seen: readonly (readonly [string, number])[],
  all: readonly AgentEvent[],
): readonly number[] {
  return seen.flatMap(([requestId, at]) => {
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
  await field.pressSequentially('typing while sixteen agents stream', { delay: 40 })
  return page.evaluate(() => (window as unknown as { echoes: number[] }).echoes)
}
