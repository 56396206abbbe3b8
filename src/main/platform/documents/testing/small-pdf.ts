/** A PDF document with one line of text on each page. An empty text makes a page as a scanner does: without text. */
export function smallPdf(pages: readonly string[], { encrypted = false } = {}): Uint8Array {
  const kids = pages.map((_, index) => `${10 + 2 * index} 0 R`).join(' ')
  const objects = [
    '1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj',
    `2 0 obj<</Type/Pages/Kids[${kids}]/Count ${pages.length}>>endobj`,
    '3 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>endobj',
    ...pages.flatMap((text, index) => {
      const content = text === '' ? '0 0 100 100 re f' : `BT /F1 18 Tf 10 100 Td (${text}) Tj ET`
      return [
        `${10 + 2 * index} 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 144]/Contents ${11 + 2 * index} 0 R/Resources<</Font<</F1 3 0 R>>>>>>endobj`,
        `${11 + 2 * index} 0 obj<</Length ${content.length}>>stream\n${content}\nendstream endobj`,
      ]
    }),
  ]
  const lock = encrypted
    ? `/ID[<00><00>]/Encrypt<</Filter/Standard/V 1/R 2/P -4/O<${'0'.repeat(64)}>/U<${'0'.repeat(64)}>>>`
    : ''
  let text = '%PDF-1.4\n'
  const offsets = objects.map((object) => {
    const at = text.length
    text += `${object}\n`
    return [Number.parseInt(object, 10), at] as const
  })
  const table = offsets.map(([id, at]) => `${id} 1\n${String(at).padStart(10, '0')} 00000 n \n`).join('')
  const start = text.length
  text += `xref\n0 1\n0000000000 65535 f \n${table}trailer<</Root 1 0 R/Size ${20 + 2 * pages.length}${lock}>>\nstartxref\n${start}\n%%EOF`
  return new TextEncoder().encode(text)
}
