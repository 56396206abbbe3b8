/** For machines that are busy: `findBy…` and `waitFor` wait longer than a second, for example for a lazy import. */
import { configure } from '@testing-library/dom'

configure({ asyncUtilTimeout: 20_000 })
