/** Older conversations, for the list. */
import { ConversationLog } from '../log.ts'

const HOUR = 3_600_000
const TITLES = [
  ['Move cart to server actions', 2 * HOUR],
  ['Why does CI flake on Fridays?', 26 * HOUR],
  ['Upgrade to React 19', 3 * 24 * HOUR],
] as const

export function oldLogs(now: number): readonly { readonly title: string; readonly log: ConversationLog }[] {
  return TITLES.map(([title, ago], index) => {
    const log = new ConversationLog(`old-${index}`, now - ago)
    const id = `old-main-${index}`
    log.spawn({ id, name: 'main', color: 'neutral', task: '', maxTurns: 100 })
    log.receives(id, title, 'user')
    log.pass(60_000).answers(id, {
      text: `Done. I looked into **${title.toLowerCase()}** and changed two files:\n\n- \`src/cart.ts\`\n- \`test/cart.test.ts\`\n\nAll tests pass.`,
    })
    log.status(id, 'waiting', 'message')
    return { title, log }
  })
}
