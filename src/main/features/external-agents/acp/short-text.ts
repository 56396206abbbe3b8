/** A text of a program on one line, without what would not be seen. */
import { makeVisible } from '../../../../shared/kernel/visible-text.ts'

/** At most 300 characters. */
export const shortText = (text: string): string =>
  makeVisible(text.replaceAll(/\s+/g, ' ').trim()).slice(0, 300)
