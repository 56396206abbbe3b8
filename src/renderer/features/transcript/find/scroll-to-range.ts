/** Scrolls a range of text into view: in the transcript, and in smaller scrolling elements around the range. */

/** Space in px between the range and the edge. */
const MARGIN = 24

/** Returns whether something was scrolled. */
export function scrollToRange(range: Range, scroller: HTMLElement): boolean {
  let scrolled = false
  let element = range.startContainer.parentElement
  while (element !== null) {
    if (element === scroller || isScrolling(element)) scrolled = scrollWithin(element, range) || scrolled
    if (element === scroller) break
    element = element.parentElement
  }
  return scrolled
}

function isScrolling(element: HTMLElement): boolean {
  const overflows =
    element.scrollHeight > element.clientHeight + 1 || element.scrollWidth > element.clientWidth + 1
  if (!overflows) return false
  const { overflowX, overflowY } = getComputedStyle(element)
  return /auto|scroll/.test(overflowX + overflowY)
}

function scrollWithin(element: HTMLElement, range: Range): boolean {
  const { scrollTop, scrollLeft } = element
  const view = element.getBoundingClientRect()
  const { top, bottom, left, right, height } = range.getBoundingClientRect()
  const margin = Math.min(MARGIN, view.height / 4)
  if (top < view.top + margin || bottom > view.bottom - margin)
    element.scrollTop += top + height / 2 - (view.top + view.height / 2)
  if (left < view.left || right > view.right) element.scrollLeft += left - view.left - MARGIN
  return element.scrollTop !== scrollTop || element.scrollLeft !== scrollLeft
}
