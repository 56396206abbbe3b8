import { open, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { type Line, readBackwards, readForwards } from './read-lines.ts'
import { tempFolder } from './testing/temp-folder.ts'

const content = fc
  .array(fc.constantFrom('', 'a', 'bc', 'déf', '\n', '\n', '\r\n', '\r', 'long '.repeat(9)))
  .map((parts) => parts.join(''))

/** The bytes of a batch are valid until the next one. */
const copied = (line: Line): Line => ({ ...line, bytes: Buffer.from(line.bytes) })

it('reads the same lines forward and backward for every chunk size', async () => {
  const path = join(await tempFolder(), 'lines')
  await fc.assert(
    fc.asyncProperty(content, fc.integer({ min: 1, max: 40 }), async (text, chunk) => {
      await writeFile(path, text)
      const expected = text.split('\n')
      const lastIsEnded = expected.at(-1) === ''
      if (lastIsEnded) expected.pop()
      const file = await open(path, 'r')
      try {
        const { size } = await file.stat()
        const forwards: Line[] = []
        for await (const lines of readForwards(file, { from: 0, to: size, chunk }))
          forwards.push(...lines.map(copied))
        const backwards: Line[] = []
        for await (const line of readBackwards(file, { to: size, chunk })) backwards.unshift(line)
        const plain = (lines: readonly Line[]) =>
          lines.map(({ bytes, offset, end, ended }) => ({ text: bytes.toString(), offset, end, ended }))
        expect(plain(forwards).map((line) => line.text)).toEqual(
          expected.map((line) => line.replace(/\r$/, '')),
        )
        expect(plain(backwards)).toEqual(plain(forwards))
        expect(forwards.map((line) => line.ended)).toEqual(
          expected.map((_, index) => index < expected.length - 1 || lastIsEnded),
        )
        expect([0, ...forwards.map(({ end }) => end)]).toEqual([
          ...forwards.map(({ offset }) => offset),
          size,
        ])
        for (const { bytes, offset } of forwards)
          expect(
            Buffer.from(text)
              .subarray(offset, offset + bytes.length)
              .equals(bytes),
          ).toBe(true)
      } finally {
        await file.close()
      }
    }),
  )
})
