import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import type { AgentEvent } from '../../../shared/events/agent-event.ts'
import { isConversationEvent } from '../../../shared/events/conversation-event.ts'
import { totalTokens } from '../../../shared/events/model-requests.ts'
import { type AgentInsight, addToInsight, startInsight } from '../../../shared/insight/agent-insight.ts'
import { insightOf } from '../../../shared/insight/insight.ts'
import { insightCsv } from '../../../shared/insight/insight-csv.ts'
import type { PageLine } from '../../../shared/sharing/page-data.ts'
import type { ShareFormat } from '../../../shared/sharing/sharing.ts'
import { spentIn } from '../../../shared/state/spending.ts'
import { spansOf } from '../../../shared/timeline/lane.ts'
import { addToTimeline, emptyTimeline } from '../../../shared/timeline/timeline.ts'
import { sumSpans } from '../../../shared/timeline/timeline-sums.ts'
import { unwrap } from '../../platform/transcripts/testing/open-store.ts'
import { tempFolder } from '../../platform/transcripts/testing/temp-folder.ts'
import { shareChunks } from './share-conversation.ts'
import { CONVERSATION, MAIN, READER, WRITER } from './testing/sample-conversation.ts'
import { sharedStore } from './testing/shared-store.ts'

/** A page without a script: its data is what counts. */
async function barePage(): Promise<string> {
  const file = join(await tempFolder(), 'page.html')
  await writeFile(file, '<!--data-->')
  return file
}

test('a conversation has the same number of tokens in the status bar, panels, timeline, Insight, page, trace and spans', async () => {
  const { store, deps, share } = await sharedStore({ pageFile: await barePage() })
  const exported = async (format: ShareFormat) => {
    let text = ''
    for await (const chunk of unwrap(await shareChunks({ ...share, format }, deps)))
      text += Buffer.from(unwrap(chunk)).toString()
    return text
  }
  const states = unwrap(await store.states([MAIN, READER, WRITER]))
  // The status bar adds up what the panels show.
  const { tokens } = spentIn(states)
  expect(tokens).toBe(states.reduce((sum, { countedTokens }) => sum + countedTokens, 0))
  expect(tokens).toBeLessThan(states.reduce((sum, { usage }) => sum + totalTokens(usage), 0))

  const events: AgentEvent[] = []
  const timeline = emptyTimeline()
  for await (const batch of store.readConversation(CONVERSATION))
    for (const event of unwrap(batch)) {
      addToTimeline(timeline, event)
      if (!isConversationEvent(event)) events.push(event)
    }
  const spans = Object.values(timeline.lanes).flatMap(spansOf)
  expect(sumSpans(spans, { from: 0, to: timeline.to, agentIds: null }).tokens).toBe(tokens)

  const agents = new Map<string, AgentInsight>()
  for (const event of events) {
    const insight = agents.get(event.agentId)
    if (event.type === 'agent-spawned') agents.set(event.agentId, startInsight(event))
    else if (insight !== undefined) addToInsight(insight, event)
  }
  const report = insightOf(
    [{ id: CONVERSATION, title: '', folder: '/', rehearsal: false, agents: [...agents.values()] }],
    { by: 'conversation', since: null, until: null, folder: null, rehearsal: false, within: [] },
  )
  const [titles = [], values = []] = insightCsv(report, 'conversation')
    .split('\r\n')
    .map((line) => line.split(','))
  expect(report.total.figures.countedTokens).toBe(tokens)
  expect(values[titles.indexOf('tokens')]).toBe(String(tokens))

  const page = await exported('html')
  const bytes = [...page.matchAll(/>([\w+/=]+)</g)].map(([, base64 = '']) => Buffer.from(base64, 'base64'))
  const head = JSON.parse(gunzipSync(Buffer.concat(bytes)).toString().split('\n', 1)[0] ?? '') as PageLine
  const shown = head.line === 'head' ? head.agents : []
  expect(shown.map(({ tokens: own }) => own)).toEqual(states.map(({ countedTokens }) => countedTokens))

  const trace = JSON.parse(await exported('trace')) as {
    readonly traceEvents: readonly { readonly args?: { readonly tokens?: number } }[]
  }
  expect(trace.traceEvents.reduce((sum, { args }) => sum + (args?.tokens ?? 0), 0)).toBe(tokens)

  const counts = (await exported('otel')).matchAll(/"troupe\.tokens","value":\{"intValue":"(\d+)"/g)
  expect([...counts].reduce((sum, [, count]) => sum + Number(count), 0)).toBe(tokens)
})
