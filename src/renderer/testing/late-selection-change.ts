/**
 * Loaded before each window test: `selectionchange` arrives after the code that moved the selection, once for all its
 * moves, as in browsers. happy-dom dispatches it in the middle of that code, which CodeMirror refuses during an update.
 * https://w3c.github.io/selection-api/#selectionchange-event
 *
 * A listener's own moves are not announced: happy-dom reports each of them as a change, also to the same position.
 */
const dispatch = document.dispatchEvent.bind(document)
let scheduled: Event | null = null

document.dispatchEvent = (event) => {
  // happy-dom calls this method again for each phase of the event.
  if (event.type !== 'selectionchange' || event === scheduled) return dispatch(event)
  if (scheduled !== null) return true
  scheduled = event
  void Promise.resolve().then(() => {
    try {
      dispatch(event)
    } finally {
      scheduled = null
    }
  })
  return true
}
