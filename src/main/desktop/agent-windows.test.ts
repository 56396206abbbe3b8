import { expect, test } from 'vitest'
import { agentOfPage, agentPageSearch } from '../../shared/commands/agent-page.ts'
import { createAgentWindows, type OpenAgentWindow } from './agent-windows.ts'

function fixture() {
  const seen: string[] = []
  const changes: (readonly string[])[] = []
  const windows = createAgentWindows<OpenAgentWindow>({
    open: ({ agentId }, folder) => {
      seen.push(`opened ${agentId}`)
      const window: OpenAgentWindow = {
        folder,
        focus: () => seen.push(`focused ${agentId}`),
        close: () => {
          seen.push(`closed ${agentId}`)
          windows.remove(window)
        },
      }
      return window
    },
    onChange: (agentIds) => changes.push(agentIds),
  })
  const show = (agentId: string, folder = '/shop') => windows.show({ agentId, conversationId: 'c1' }, folder)
  return { windows, seen, changes, show }
}

test('an agent has at most one window of its own', () => {
  const { windows, seen, changes, show } = fixture()
  show('a')
  show('b')
  show('a')
  expect(seen).toEqual(['opened a', 'opened b', 'focused a'])
  expect(windows.agentIds).toEqual(['a', 'b'])
  expect(changes).toEqual([['a'], ['a', 'b']])
})

test('a closed window is told to the others, and can be opened again', () => {
  const { windows, seen, changes, show } = fixture()
  show('a')
  windows.close('a')
  windows.close('a')
  windows.close('never there')
  show('a')
  expect(seen).toEqual(['opened a', 'closed a', 'opened a'])
  expect(changes).toEqual([['a'], [], ['a']])
})

test('the windows of a folder’s agents close with the folder’s window, and all with the last one', () => {
  const { windows, show } = fixture()
  show('a')
  show('b', '/api')
  show('c')
  windows.closeIn('/shop')
  expect(windows.agentIds).toEqual(['b'])
  show('a')
  windows.closeIn(null)
  expect(windows.all).toEqual([])
})

test('the address of the page names the agent; other addresses are whole windows', () => {
  const agent = { agentId: 'a-01&x=1', conversationId: 'c-01' }
  expect(agentOfPage(agentPageSearch(agent))).toEqual(agent)
  for (const search of ['', '?agent=a', '?conversation=c']) expect(agentOfPage(search)).toBeNull()
})
