import { describe, expect, it } from 'vitest'
import { plainOutput } from './plain-output.ts'

describe('plainOutput', () => {
  it.each([
    ['colours', '\u001b[31mred\u001b[0m \u001b[38;5;12mx\u001b[m', 'red x'],
    ['links and titles', '\u001b]8;;https://x.y\u0007here\u001b]8;;\u001b\\ \u001b]0;title\u0007', 'here '],
    ['cursor movements', '\u001b[2J\u001b[H\u001b[?25la\u001b[?25h\u001b7\u001b8\u001b(Bb', 'ab'],
    ['a progress bar', 'loading  10%\rloading 100%\ndone\n', 'loading 100%\ndone\n'],
    ['a line drawn shorter', 'downloading 42%\r\u001b[Kdone\n', 'done\n'],
    ['a line erased', 'downloading 42%\u001b[2K\rdone\n', 'done\n'],
    ['backspaces', 'abc\b\bX', 'aXc'],
    ['line ends of Windows', 'a\r\nb\r\r\nc', 'a\nb\nc'],
    ['bells and zeros', 'a\u0007b\u0000c', 'abc'],
    ['plain text', 'a\tb\n  ünï ✓ [0m\n', 'a\tb\n  ünï ✓ [0m\n'],
    ['a sequence cut off', 'a\u001b[3', 'a'],
  ])('%s', (_, output, plain) => {
    expect(plainOutput(output)).toBe(plain)
  })
})
