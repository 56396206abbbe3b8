import { expect, test } from 'vitest'
import { parseTerminal, plainStyle, stripTerminal } from './ansi.ts'

const texts = (output: string) => parseTerminal(output).map((line) => line.map((run) => run.text).join(''))

test('colors become named styles that continue after line breaks', () => {
  const lines = parseTerminal('\x1b[31mred\nstill red\x1b[0m plain')
  expect(lines).toEqual([
    [{ text: 'red', style: { ...plainStyle, color: 'red' } }],
    [
      { text: 'still red', style: { ...plainStyle, color: 'red' } },
      { text: ' plain', style: plainStyle },
    ],
  ])
})

test('bright, 256 and true colors map to the nearest of the eight', () => {
  const colors = parseTerminal(
    '\x1b[92ma\x1b[38;5;196mb\x1b[38;2;20;40;250mc\x1b[38:5:240md\x1b[38;5;255me',
  )[0]
  expect(colors?.map((run) => run.style.color)).toEqual(['green', 'red', 'blue', 'black', null])
})

test('weights combine and reset one by one', () => {
  const runs = parseTerminal('\x1b[1;4ma\x1b[22mb\x1b[24mc')[0]
  expect(runs?.map((run) => [run.style.bold, run.style.underline])).toEqual([
    [true, true],
    [false, true],
    [false, false],
  ])
})

test('a carriage return overwrites the line, as in a progress line', () => {
  expect(texts('10 %\r100 %')).toEqual(['100 %'])
  expect(texts('done and done\rnot')).toEqual(['note and done'])
  expect(texts('downloading\r\x1b[Kok')).toEqual(['ok'])
  expect(texts('abc\b\bX')).toEqual(['aXc'])
  expect(texts('windows\r\nlines\r\n')).toEqual(['windows', 'lines'])
})

test('titles, links and cursor movements leave no trace', () => {
  expect(texts('\x1b]0;title\x07a\x1b[2Jb\x1b[1;1Hc\x1b(B')).toEqual(['abc'])
  expect(texts('\x1b]8;;https://evil.example\x1b\\click\x1b]8;;\x1b\\')).toEqual(['click'])
})

test('one long line with many returns is read in reasonable time', () => {
  const progress = Array.from({ length: 5000 }, (_, step) => `step ${step} of 5000`).join('\r')
  expect(texts(progress)).toEqual(['step 4999 of 5000'])
})

test.each(['999999999', '99999999999999999999', '1001'])(
  'the cursor moves to column %s at most as far as a wide terminal',
  (column) => {
    const line = texts(`a\x1b[${column}Gb`)[0] ?? ''
    expect(line.length).toBe(1001)
    expect(line.replace(/ +/, ' ')).toBe('a b')
  },
)

test.each(['ab\b', '\x1b[2Gx\x1b[900Gy', '\r', 'a\r', 'ab\r\x1b[K'])(
  '%j, 50,000 times on a line, is read in reasonable time',
  (part) => {
    expect(texts(`${part.repeat(50_000)}\rend`)[0]?.startsWith('end')).toBe(true)
  },
)

test('overwriting keeps the styles of both texts', () => {
  const runs = parseTerminal('\x1b[31mabcd\x1b[0m\rXY')[0]
  expect(runs).toEqual([
    { text: 'XY', style: plainStyle },
    { text: 'cd', style: { ...plainStyle, color: 'red' } },
  ])
  expect(texts('long text\x1b[2K\rnew')).toEqual(['new'])
  expect(texts('ab\x1b[5Gc\r\x1b[4GX')).toEqual(['ab Xc'])
})

test('stripping leaves plain text', () => {
  expect(stripTerminal('\x1b[32m✓\x1b[0m passed\r\n')).toBe('✓ passed')
  expect(stripTerminal('nothing to do')).toBe('nothing to do')
})
