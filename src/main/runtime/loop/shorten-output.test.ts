import { expect, test } from 'vitest'
import { fail, ok } from '../../../shared/kernel/result.ts'
import { numberedLines } from '../tools/files/numbered-lines.ts'
import { LONGEST_OUTPUT, shortenOutput } from './shorten-output.ts'

const agent = {
  outputFolder: '/data/tool-results',
  tools: [],
  keepOutput: async () => ok('tasks/a/tool-results/t-1.txt'),
}
const shorten = async (text: string, from: Parameters<typeof shortenOutput>[0] = agent) =>
  String((await shortenOutput(from, { id: 't-1', name: 'Bash' }, text)).content)
const lines = (count: number, text = 'some words of output') =>
  Array.from({ length: count }, (_, index) => `${text} ${index + 1}`).join('\n')

test('a model that follows the named calls reads every line once', async () => {
  const text = lines(6000)
  const said = await shorten(text)
  expect(said.length).toBeLessThan(LONGEST_OUTPUT)
  expect(said).toMatch(
    /\[… [\d,]+ characters omitted\. The whole output has 6,000 lines \(\d+ KB\)\. Read on with Read/,
  )
  const [head, tail] = said.split(/\n\n\[… .*\]\n\n/)
  const next = /Read \(file_path "\/data\/tool-results\/t-1\.txt", offset (\d+), limit (\d+)\)/.exec(said)
  const [offset, limit] = [Number(next?.[1]), Number(next?.[2])]
  const part = numberedLines(text, { offset, limit })
  expect(part.text.length).toBeLessThan(20_000)
  expect(head?.split('\n').at(-1)).toBe(`some words of output ${offset - 1}`)
  expect(part.text).toContain(`${offset}\tsome words of output ${offset}\n`)
  expect(tail?.split('\n')[0]).toMatch(/^some words of output \d+$/)
  expect(text.startsWith(head ?? '-') && text.endsWith(tail ?? '-')).toBe(true)
})

test('lines that Read would cut are read on with a command', async () => {
  const text = `{"key":"${'x'.repeat(60_000)}"}`
  const said = await shorten(text)
  expect(said).toContain(
    'has 1 line (59 KB), and its lines are longer than Read shows. Search its file with Grep',
  )
  expect(said).toContain("head -c 22240 '/data/tool-results/t-1.txt' | tail -c 12000")
})

test('sizes are bytes, and a last line end begins no line', async () => {
  expect(await shorten(`${lines(2000, 'ääääääää')}\n`)).toContain('2,000 lines (42 KB)')
})

test('an output that could not be kept says so', async () => {
  const keepOutput = async () => fail({ type: 'io', message: 'The disk is full' })
  expect(await shorten(lines(3000), { ...agent, keepOutput })).toContain(
    'could not be saved: The disk is full. Narrow the call to see more.]',
  )
})

test('a short output stays as it is', async () => {
  expect(await shorten(lines(10))).toBe(lines(10))
})
