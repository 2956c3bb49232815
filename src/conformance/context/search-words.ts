import { wordsIn } from '../../contract/words.ts'

/** Words that domain names are made of; what is found supplies more. */
export const FIRST_WORDS = wordsIn(`
  solar cloud shop green home data travel food app pay tech health sport music garden city bike coffee studio
  market
`)

/** Asked for where the names that were found lead no further. */
export const MORE_WORDS = wordsIn(`
  blue silver golden bright quick smart fresh happy north river stone ocean forest summit harbor island valley
  bridge light wild pure prime royal simple modern urban rapid lucky quiet gentle noble clever eager fancy calm
  tiger eagle falcon horse fish bird bear wolf apple lemon berry orchard bread wine kitchen dental clinic
  medical pharmacy beauty fashion jewel wedding baby school learn coach book photo video film game puzzle toy
  rocket space energy power water timber metal build house villa hotel beach sail ship boat car auto drive
  truck cargo parcel mail post bank fund credit invest ledger tax law legal insurance rent job work team social
  media news blog chat code cyber robot digital web net host secure lock key gift craft paint canvas design
  print mirror lamp lantern pillow sleep yoga fitness run golf ski camp hike farm plant flower wood anchor
  barrel velvet amber cedar ivory opal
`)
