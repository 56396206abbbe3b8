import { expect, test } from 'vitest'
import { createWindows, type FolderRequest, type FolderWindow } from './windows.ts'

class FakeWindow implements FolderWindow {
  readonly seen: string[] = []
  folder: string | null

  constructor(folder: string | null) {
    this.folder = folder
  }

  show({ folder, conversationId }: FolderRequest): void {
    this.folder = folder
    this.seen.push(`shows ${folder} ${conversationId ?? ''}`.trim())
  }

  focus(): void {
    this.seen.push('focused')
  }
}

function fixture(...folders: (string | null)[]) {
  const windows = createWindows<FakeWindow>(({ folder }) => {
    const opened = new FakeWindow(folder)
    windows.add(opened)
    return opened
  })
  const made = folders.map((folder) => new FakeWindow(folder))
  for (const window of made) windows.add(window)
  return { windows, made }
}
const request = (folder: string, conversationId: string | null = null) => ({ folder, conversationId })

test('a folder that a window has is shown there, and no second window opens', () => {
  const { windows, made } = fixture('/shop', '/api')
  expect(windows.show(request('/shop'))).toBe(made[0])
  expect(windows.show(request('/shop', 'c1'))).toBe(made[0])
  expect(made[0]?.seen).toEqual(['focused', 'shows /shop c1', 'focused'])
  expect(windows.all).toHaveLength(2)
})

test('another folder gets a window of its own; the other windows keep theirs', () => {
  const { windows, made } = fixture('/shop')
  const opened = windows.show(request('/api'))
  expect(windows.all.map(({ folder }) => folder)).toEqual(['/api', '/shop'])
  expect(made[0]?.seen).toEqual([])
  expect(windows.show(request('/api'))).toBe(opened)
})

test('a window without a folder is used first', () => {
  const { windows, made } = fixture('/shop', null)
  expect(windows.show(request('/api'))).toBe(made[1])
  expect(made[1]?.seen).toEqual(['shows /api', 'focused'])
})

test('the last focused window comes first; a closed one is forgotten', () => {
  const { windows, made } = fixture('/a', '/b', '/c')
  const order = () => windows.all.map(({ folder }) => folder)
  expect(order()).toEqual(['/c', '/b', '/a'])
  const [a, b] = made as [FakeWindow, FakeWindow]
  windows.focused(a)
  expect(order()).toEqual(['/a', '/c', '/b'])
  windows.remove(b)
  windows.focused(b)
  expect(order()).toEqual(['/a', '/c'])
  expect(windows.of('/b')).toBeNull()
})
