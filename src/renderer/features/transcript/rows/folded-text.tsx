/** Markdown that the user did not write. Long text is folded. */
import { Button } from '../../../ui/button.tsx'
import { classNames } from '../../../ui/text/class-names.ts'
import { Markdown } from '../markdown/markdown.tsx'
import { useFold } from '../use-fold.ts'
import { TextPieces } from './long-text.tsx'
import { startOf } from './text-pieces.ts'

const FOLDED_LENGTH = 320
const FOLDED_LINES = 5

export function FoldedText({ rowKey, text }: { readonly rowKey: string; readonly text: string }) {
  const [open, toggle] = useFold(rowKey)
  const long = text.length > FOLDED_LENGTH || text.split('\n').length > FOLDED_LINES
  return (
    <>
      <div
        data-selectable=""
        className={classNames(
          'text-fg-1 text-sm',
          long &&
            !open &&
            'max-h-[4.4rem] overflow-hidden [mask-image:linear-gradient(#000_55%,transparent)]',
        )}
      >
        {long && open ? (
          <TextPieces rowKey={rowKey} text={text} format="markdown" />
        ) : (
          <Markdown text={long ? startOf(text) : text} />
        )}
      </div>
      {long && (
        <Button
          data-unsearched=""
          variant="quiet"
          className="-ml-2.5 mt-0.5"
          aria-expanded={open}
          onClick={toggle}
        >
          {open ? 'Show less' : 'Show all'}
        </Button>
      )}
    </>
  )
}
