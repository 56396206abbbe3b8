/** A command, path or URL for the user's decision: lines break between arguments only. */
import { Fragment } from 'react'
import { shellWords } from '../../../shared/kernel/shell-words.ts'
import { VisibleText } from './visible-text.tsx'

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
