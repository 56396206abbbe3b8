/** Bounded text of a response: a small compressed body can decode to gigabytes. */

interface BoundedText {
  readonly text: string
  /** False: the body is longer, or broke off. */
  readonly complete: boolean
}

/** The first `maxCharacters` of the decoded body. Closes the connection of a longer one. Never rejects. */
export async function boundedText(response: Response, maxCharacters: number): Promise<BoundedText> {
  if (response.body === null) return { text: '', complete: true }
  const reader = response.body.getReader()
  const decoder = new TextDecoder('utf-8')
  const pieces: string[] = []
  let length = 0
  try {
    for (;;) {
      const { done, value } = await reader.read()
      const piece = done ? decoder.decode() : decoder.decode(value, { stream: true })
      pieces.push(piece.slice(0, maxCharacters - length))
      length += piece.length
      if (length > maxCharacters) break
      if (done) return { text: pieces.join(''), complete: true }
    }
  } catch {
    // The connection broke, or the request was aborted: the text so far is still useful.
  }
  void reader.cancel().catch(() => {})
  return { text: pieces.join(''), complete: false }
}
