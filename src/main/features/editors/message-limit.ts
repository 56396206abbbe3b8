/**
 * Keeps messages that are too large from the library, which would end the connection. In the place of such a request
 * stands a small one with its id, so that the editor gets an answer.
 */

/** In bytes, with the line end. The library's own limit. */
export const LARGEST_EDITOR_MESSAGE = 32 * 1024 * 1024

/** The method of the request in the place of one that was too large. */
export const TOO_LARGE = '_troupe/too_large'

/** So much of a message that is too large is searched for its id. */
const HEAD = 4096

const NEWLINE = 0x0a

/** @param onLost called for a message that is too large and has no id */
export function limitMessages(
  onLost: () => void,
  limit = LARGEST_EDITOR_MESSAGE,
): TransformStream<Uint8Array, Uint8Array> {
  let pieces: Uint8Array[] = []
  let length = 0
  let isTooLarge = false

  const take = (piece: Uint8Array) => {
    length += piece.length
    if (length > limit) isTooLarge = true
    if (!isTooLarge) pieces.push(piece)
    else if (length - piece.length < HEAD) pieces.push(piece)
    else if (pieces.length > 1) pieces = [joined(pieces)]
  }
  const end = (controller: TransformStreamDefaultController<Uint8Array>) => {
    if (!isTooLarge) for (const piece of pieces) controller.enqueue(piece)
    else {
      const id = idIn(pieces)
      if (id === null) onLost()
      else
        controller.enqueue(new TextEncoder().encode(`{"jsonrpc":"2.0","id":${id},"method":"${TOO_LARGE}"}\n`))
    }
    pieces = []
    length = 0
    isTooLarge = false
  }

  return new TransformStream({
    transform(chunk, controller) {
      let start = 0
      for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, start)) {
        take(chunk.subarray(start, at + 1))
        end(controller)
        start = at + 1
      }
      if (start < chunk.length) take(chunk.subarray(start))
    },
    flush: end,
  })
}

/** The beginning of a message, which is all that is kept of one that is too large. */
function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const head = new Uint8Array(HEAD)
  let length = 0
  for (const piece of pieces) {
    const part = piece.subarray(0, HEAD - length)
    head.set(part, length)
    length += part.length
  }
  return head.subarray(0, length)
}

/** The id of the request that begins like this, as JSON; null: none is found. */
function idIn(pieces: readonly Uint8Array[]): string | null {
  const head = new TextDecoder().decode(joined(pieces))
  // Before the parameters, which may have fields of the same name.
  const [before = ''] = head.split('"params"')
  return /"id"\s*:\s*(\d+|"(?:[^"\\]|\\.)*")/.exec(before)?.[1] ?? null
}
