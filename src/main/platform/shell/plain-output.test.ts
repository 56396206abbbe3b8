import { describe, expect, it } from 'vitest'
import { createPlainOutput, LONGEST_REDRAWN } from './plain-output.ts'

function plainOutput(output: string, pieceLength = output.length): string {
  const plain = createPlainOutput()
  let text = ''
  for (let at = 0; at < output.length; at += pieceLength)
    text += plain.push(output.slice(at, at + pieceLength))
  return text + plain.end()
}

describe('createPlainOutput', () => {
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
    ['a title cut off by a line end', '\u001b]0;title\nb', '\nb'],
    ['an escape inside a title', '\u001b]0;a\u001b[31mb\u001b\u001b\\c', 'c'],
    ['controls of eight bits', 'a\u009b31mb\u009b31\nc\u0085d', 'ab\ncd'],
    ['blanks where an erased line was', 'abc\u001b[2Kd\b\bef', '  ef'],
    ['blanks at the end of a line that was not redrawn', 'a  \r\nb\u0007  \n', 'a  \nb  \n'],
  ])('%s', (_, output, plain) => {
    expect(plainOutput(output)).toBe(plain)
    expect(plainOutput(output, 1)).toBe(plain)
  })

  const LENGTH = 5_000_000
  const fill = (unit: string) => unit.repeat(Math.ceil(LENGTH / unit.length))
  // With time that grows with the square of the length, each of these needs minutes.
  it.each([
    ['carriage returns', fill('\r'), ''],
    ['carriage returns before a letter', `${fill('\r')}a`, 'a'],
    ['backspaces', `ab${fill('\b')}c`, 'cb'],
    ['moves of the cursor', fill('\u001b[1A\u001b[2K\r\b'), ''],
    ['erasures of a long line', `${'x'.repeat(60_000)}${fill('\u001b[2K\b')}y`, 'y'],
    [
      'erasures and letters at the end of a long line',
      `${'x'.repeat(60_000)}${fill('\u001b[2Kx\b')}`,
      `${' '.repeat(60_000)}x`,
    ],
    ['a title without an end', `\u001b]${fill('0;')}`, ''],
    ['beginnings of titles', fill('\u001b]\u001b'), ''],
    ['parameters without an end', `\u001b[${fill(';')}\n`, '\n'],
    ['parameters of eight bits', fill('\u009b;  '), ''],
    ['erasures of the rest', fill('x\r\u001b[K'), ''],
    ['one line', fill('x'), fill('x')],
    ['empty lines', fill('\n'), fill('\n')],
    ['empty lines with a bell', fill('\n\u0007'), '\n'.repeat(LENGTH / 2)],
  ])('needs time in proportion to the output: %s', (_, output, plain) => {
    expect(plainOutput(output, 65_536) === plain).toBe(true)
  })

  it('passes a line on before its end once it is long, so that memory stays bounded', () => {
    const plain = createPlainOutput()
    const half = 'x'.repeat(LONGEST_REDRAWN / 2)
    expect([plain.push(half).length, plain.push(half).length, plain.push(half).length]).toEqual([
      0,
      LONGEST_REDRAWN,
      0,
    ])
    expect(plain.end()).toBe(half)
  })
})
