// The words that give a term of medicine to somebody: verbs by language, people one has, possessives. Lists only.

const HAVING =
	"has|have|had|having|got|gets|getting|is|was|been|be|am|are|suffer(?:s|ed|ing)?|diagnosed|treated|living|lives|battl\\w{1,5}|fights?|fighting|fought|survived|survivor|recover(?:s|ed|ing|y)|relapsed|beat|died|caught|develop(?:ed|s)|lost|history|attempted|" +
	"hat|hatte|habe|haben|hatten|leidet|leide|litt|bekam|bekommt|erlitt|kämpft|erkrankt|erkrankte|starb|wegen|wurde|ist|war|bin|" +
	"ai|j['’]ai|a (?:un|une|le|la|du|eu|fait)|avait|souffre|souffrait|atteinte?|est|suis|était|opérée?|hospitalisée?|soignée?|suivie?|fait|" +
	"tiene|tuvo|tengo|tenía|padece|padezco|sufre|sufrió|sufro|está|estoy|ingresad[oa]|ingresó|operad[oa]|" +
	"ha|ho|avuto|soffre|soffro|affett[oa]|ricoverat[oa]|colpit[oa]|sono|" +
	"tem|tenho|teve|sofre|foi|internad[oa]|" +
	"heeft|heb|kreeg|krijgt|lijdt|opgenomen|ligt|ben|" +
	"har|hade|havde|hadde|fick|fik|fikk|lider|är|er|fått|fået|" +
	"ma|mam|miała?|choruje|choruję|cierpi|leczy|przeszedł|przeszła";

const TAKING =
	"take|takes|taking|took|on|prescribed|switched to|given|stopped|quit|off|inject|injects|injecting|needs?|nimmt|nehme|bekommt|bekomme|bekam|verschrieben|prend|prends|prenait|toma|tomo|tomaba|recetaron|recetó|recetado|prescrit|prescrito|prescritto|prende|prendo|assume|slikt|slik|gebruikt|gebruik|tager|tar|äter|bruker|bierze|biorę|przyjmuje";

const UNDERGOING =
	"goes to|go to|going to|went to|in|on|doing|do|does|uses|use|using|needs?|starts?|started|starting|begin|begins|began|underg\\w{2,5}|underwent|scheduled for|booked for|referred for|waiting for|awaiting|after|since|attends?|attending|entered|checked into|completed|finished|beginnt|bekommt|macht|braucht|begint|krijgt|börja|börjar|får|commence|suit|empieza|comienza|inizia|fa|faz|começa";

/** Before conditions. */
export const HEALTH_VERBS = HAVING;
/** Before medicines. */
export const MEDICINE_VERBS = TAKING;
/** Before treatments, operations and aids. */
export const CARE_VERBS = `${HAVING}|${UNDERGOING}`;
/** Before doctors by what they treat. */
export const VISIT_VERBS =
	"sees?|seeing|seen by|saw|visits?|visiting|visited|referred to|appointment with|under|meets? with|consults?|beim|bei|zum|zur|chez|voit|va al|ve a|visita a|dal|dalla|naar|bij|hos|u";

/** What one has of one's own. */
export const OWN = "(?:my|her|his|meine?[nrms]?|seine?[nrms]?|mon|ma|mi|mio|mia|meu|minha|mijn|min|mitt|moja|mój)";

/** People that are meant in particular, in lower case, beyond those that every phrase about health knows. */
export const OWN_PEOPLE =
	/(?<!\p{L})(?:(?:my|our|his|her) (?:[\w-]{2,12} ){0,2}(?:mother|father|m[ou]m|dad|parents?|wife|husband|spouse|son|daughter|brother|sister|sibling|twin|partner|child|kids?|baby|toddler|aunt|uncle|cousin|niece|nephew|gran\w{0,10}|nan|mother-in-law|father-in-law|girlfriend|boyfriend|fianc[eé]e?|ex|friend|neighbou?r|flatmate|roommate|housemate|boss|manager|teammate|colleague|coworker|co-worker|hire|intern|employee|assistant|client|customer|tenant|student|teacher|nanny|driver)s?\b|(?:meine?[nrms]?|unsere?[nrms]?|seine?[nrms]?|ihre?[nrms]?) (?:\p{L}{2,16} )?(?:mutter|vaters?|mama|papa|frau|mann|sohn|tochter|bruder|schwester|chefin|chef|oma|opa|gro(?:ß|ss)\p{L}{3,8}|tante|onkel|nachbar\p{L}{0,2}|kolleg(?:e|en|in)|freund(?:in)?|kind|cousine?|nichte|neffe|schwieger\p{L}{4,7}|mitarbeiter(?:in)?|mieter(?:in)?|kund(?:e|in))|(?:mon|ma|notre|son|sa) (?:mère|père|femme|mari|fils|fille|frère|sœur|soeur|grand-\p{L}{4,5}|tante|oncle|voisine?|collègue|amie?|copine?|chef|employée?|beau-\p{L}{4,5}|belle-\p{L}{4,5}|cousine?|enfant|bébé)|(?:mi|nuestr[oa]|su) (?:madre|padre|mamá|papá|hij[oa]|espos[ao]|mujer|marido|herman[oa]|abuel[oa]|tí[oa]|prim[oa]|vecin[oa]|amig[oa]|novi[oa]|jef[ea]|compañer[oa]|emplead[oa]|suegr[oa]|sobrin[oa])|(?:mio|mia|nostr[oa]|suo|sua) (?:madre|padre|mamma|papà|moglie|marito|figli[oa]|fratello|sorella|nonn[oa]|zi[oa]|cugin[oa]|vicin[oa]|amic[oa]|collega|suocer[oa]|capo|ragazz[oa])|(?:meu|minha|nosso|nossa) (?:mãe|pai|esposa|marido|filh[oa]|irmã|irmão|avó|avô|ti[oa]|prim[oa]|vizinh[oa]|amig[oa]|namorad[oa]|chefe|colega|sogr[oa])|(?:mijn|onze|ons) (?:moeder|vader|vrouw|man|zoon|dochter|broer|zus|oma|opa|tante|oom|buur\p{L}{2,5}|collega|vriendin|vriend|kind|schoon\p{L}{4,6}|baas)|(?:min|mitt|vår|vores|mit) (?:mamma|pappa|mor|far|fru|kone|mand|man|mann|son|sønn|søn|dotter|datter|bror|syster|søster|mormor|farmor|morfar|farfar|granne|nabo|kollega|vän|ven|venn|chef|sjef|barn|sambo)|(?:moja|mój|mojej|mojego|nasz|nasza) (?:mama|matka|ojciec|tata|żona|mąż|syn|córka|brat|siostra|babcia|dziadek|koleżanka|kolega|sąsiad(?:ka)?|szef)|new (?:hire|joiner) |i(?:['’](?:ve|m|d))? (?:was|had|have|am|got|take|took|attempted|underwent|suffer|live with)\b|i['’](?:m|ve|d)\b|(?:il|elle) (?:a|est|prend|souffre)\b|(?:er|sie) (?:hat|hatte|leidet|nimmt|bekommt|ist)\b|(?:hij|zij|ze) (?:heeft|slikt|is|ligt)\b|(?:han|hon|hun) (?:har|tager|tar|er|är)\b|(?:ich|ik|jag|jeg) \p{L}{2,12}|je prends|\p{L}{3,12} (?:from|in) (?:accounting|sales|hr|finance|marketing|engineering|legal|support|payroll|ops|my team|our team)\b)/u;
