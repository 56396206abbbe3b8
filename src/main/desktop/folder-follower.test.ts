import { expect, test } from 'vitest'
import type { McpServers } from '../../shared/mcp/contract.ts'
import type { McpState } from '../../shared/mcp/mcp.ts'
import { createFolderFollower } from './folder-follower.ts'

function fixture() {
  const seen: string[] = []
  const changes = new Map<string, (state: McpState) => void>()
  const servers: Pick<McpServers, 'state' | 'watch'> = {
    state: async (folder) => ({ folder, servers: [], problems: [] }),
    watch(folder, changed) {
      seen.push(`watches ${folder}`)
      changes.set(folder, changed)
      return () => seen.push(`leaves ${folder}`)
    },
  }
  const pushed: McpState[] = []
  const watch = createFolderFollower(
    async () => servers as McpServers,
    (state) => pushed.push(state),
  )
  return { seen, changes, pushed, watch }
}

test('only the folder that was asked about last is followed, and each once', async () => {
  const { seen, changes, pushed, watch } = fixture()
  expect(await watch.follow('/shop')).toEqual({ folder: '/shop', servers: [], problems: [] })
  await watch.follow('/shop')
  const state: McpState = { folder: '/shop', servers: [], problems: [] }
  changes.get('/shop')?.(state)
  expect(pushed).toEqual([state])
  await watch.follow('/api')
  expect(seen).toEqual(['watches /shop', 'leaves /shop', 'watches /api'])
  watch.stop()
  await watch.follow('/shop')
  expect(seen).toEqual(['watches /shop', 'leaves /shop', 'watches /api', 'leaves /api'])
})
