/** Text with invisible characters spelled out. */

import { Fragment } from 'react'
import { shellWords } from '../../../shared/kernel/shell-words.ts'
import { HIDDEN_NAME, makeVisible } from '../../../shared/kernel/visible-text.ts'

/** Renders text with a small label in place of each invisible character. */
export function VisibleText({ children }: { readonly children: string }) {
  // With a capturing group, `split` alternates text and names.
  const parts = makeVisible(children).split(HIDDEN_NAME)
  if (parts.length === 1) return parts[0]
  return parts.map((part, index) =>
    index % 2 === 0 ? (
      part
    ) : (
      <span
        // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one text never move
        key={index}
        title={`Invisible character: ${part}`}
        className="mx-px inline-block whitespace-nowrap rounded-xs border border-bad px-[3px] align-[1px] font-medium font-mono text-[0.85em] text-fg-0 leading-[1.3]"
      >
        {part}
      </span>
    ),
  )
}

/** A path that truncates its folders first and the file name last. */
export function PathText({ path }: { readonly path: string }) {
  const slash = path.lastIndexOf('/') + 1
  return (
    <span dir="ltr" className="flex min-w-0">
      {slash > 0 && (
        <span className="min-w-[2.4ch] shrink-[1000] truncate">
          <VisibleText>{path.slice(0, slash)}</VisibleText>
        </span>
      )}
      <span className="min-w-0 truncate">
        <VisibleText>{path.slice(slash)}</VisibleText>
      </span>
    </span>
  )
}

// A command, path or URL for the user's decision: lines break between arguments only.

/** Longer text has too many arguments for an element each; its lines break anywhere. */
const MOST_CHARACTERS = 20_000

const SPACE = /^[ \t\n]|^\r\n/

/** An argument stays on one line. A longer argument breaks at its white space, then anywhere. */
const WHOLE = 'inline-block max-w-full whitespace-pre-wrap wrap-anywhere'

/** Needs a parent with `whitespace-pre-wrap`. Invisible characters are spelled out. */
export function CommandText({ children }: { readonly children: string }) {
  if (children.length > MOST_CHARACTERS) return <VisibleText>{children}</VisibleText>
  return shellWords(children).map((word, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one text never move
    <Fragment key={index}>{SPACE.test(word) ? word : <Argument>{word}</Argument>}</Fragment>
  ))
}

function Argument({ children }: { readonly children: string }) {
  // A quoted argument may have several lines, so it gets no box, which would extend beside other arguments.
  if (children.includes('\n')) return <Pieces>{children}</Pieces>
  return (
    <span className={WHOLE}>
      {/[ \t]/.test(children) ? <Pieces>{children}</Pieces> : <VisibleText>{children}</VisibleText>}
    </span>
  )
}

/** The parts of a quoted argument between its white space. */
function Pieces({ children }: { readonly children: string }) {
  return children.split(/((?:[ \t\n]|\r\n)+)/).map((piece, index) =>
    index % 2 === 1 || piece === '' ? (
      piece
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one text never move
      <span key={index} className={WHOLE}>
        <VisibleText>{piece}</VisibleText>
      </span>
    ),
  )
}
