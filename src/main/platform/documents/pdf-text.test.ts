import { expect, test } from 'vitest'
import { pdfText } from './document-readers.ts'
import { smallPdf } from './testing/small-pdf.ts'

const ten = Array.from({ length: 10 }, (_, index) => `Words of page ${index + 1}`)

test('the requested pages have their numbers and texts', async () => {
  expect(await pdfText(smallPdf(ten), { first: 3, last: 4 })).toEqual({
    ok: true,
    value: {
      totalPages: 10,
      pages: [
        { number: 3, text: 'Words of page 3' },
        { number: 4, text: 'Words of page 4' },
      ],
    },
  })
})

test('pages after the end are none, and a page without text is empty', async () => {
  expect(await pdfText(smallPdf(['', 'Text']), { first: 1, last: 20 })).toMatchObject({
    value: { totalPages: 2, pages: [{ text: '' }, { text: 'Text' }] },
  })
  expect(await pdfText(smallPdf(ten), { first: 11, last: 20 })).toMatchObject({ value: { pages: [] } })
})

test('the bytes stay usable', async () => {
  const bytes = smallPdf(['A'])
  await pdfText(bytes, { first: 1, last: 1 })
  expect(bytes.length).toBeGreaterThan(100)
})

test('a damaged document and one with a password are failures', async () => {
  expect(await pdfText(new TextEncoder().encode('%PDF-1.4\nnothing'), { first: 1, last: 1 })).toMatchObject({
    ok: false,
    failure: { type: 'damaged' },
  })
  expect(await pdfText(smallPdf(['A'], { encrypted: true }), { first: 1, last: 1 })).toMatchObject({
    ok: false,
    failure: { type: 'password' },
  })
})
