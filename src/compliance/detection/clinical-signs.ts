// The patterns of clinical evidence: signs of a record, phrases about health, people, general statements. Patterns only.
import { verbose } from "./verbose.ts";

const AGE =
	/\b\d{1,3}[- ]?(?:yo|y\/o|yrs? old|year[- ]olds?|years old|jährig\p{L}{1,2}|ans\b|años\b)|(?:^|[\s(,])\d{2} ?[mf](?=[\s,:;.)])/u;
const SIDE = /\b(?:left|right|bilateral|proximal|distal|medial|lateral|linke[nrs]?|rechte[nrs]?)\b/;
const PATIENT =
	/\b(?:patient|pt|patientin|patiente|paciente|paziente|patiënte?)(?!s\b| (?:portal|app|education|safety|journey|data|record))\b/;

/** Signs of a record, a referral or a prescription. Each is matched against a lower-cased sentence and counts once. */
export const CLINICAL_SIGNS: readonly RegExp[] = [
	/\bb\.?p\.?:? ?\d{2,3} ?\/ ?\d{2,3}\b|\b(?:blood pressure|blutdruck|tensi[oó]n|pressione|bloeddruk|tension)[^.\n\d]{0,24}\d{2,3}(?: ?\/ ?| over | zu | sur | su | op )\d{1,3}\b/,
	/\b(?:k|na|ca|cl)\+{1,2}:? ?\d/,
	/\b(?:hr|pulse|heart rate|puls|rr|fc|hf):? (?:of |is |was )?\d{2,3}\b/,
	/\b(?:spo2|o2 sats?|sats?|saturation|saturación|saturação|saturazione)[^.\n\d]{0,8}\d{2,3} ?%?/,
	/\b(?:temp|temperature|fieber|fièvre|fiebre|febbre|febre|koorts|fever)[^.\n\d]{0,12}(?:3[5-9]|4[0-2])(?:[.,]\d)?\b|\bafebrile\b/,
	/\biv [a-z]{6,20}(?:in|one|ol|am|azole|ide)\b|\d ?mg x ?\d{1,3}\b/,
	/\d ?(?:mg\/dl|g\/dl|g\/l|mmol\/l|mmol\/mol|[µu]mol\/l|pg\/ml|ng\/ml|ng\/l|m?iu\/l|m?iu\/ml|u\/l|meq\/l|mmhg|copies\/ml|cells\/[µu]l|mcg\/dl|ng\/dl|mm\/h|ml\/min)/,
	new RegExp(verbose`
		\b(?:
			hba1c|a1c|hb|hgb|haemoglobin|hemoglobin|ferritin|creatinine?|kreatinin|potassium|sodium|kalium|natrium|glucose
			|glucosa|glukose|tsh|crp|ldl|hdl|inr|psa|wbc|egfr|bnp|nt-?probnp|troponin|platelets|plt|bilirubin|albumin|urea
			|lactate|cholesterol|colesterolo?|cholestérol|cholesterin|glicemia|triglycerides|esr|ggt|lipase|d-?dimer|ca-?125
			|beta-?hcg|hcg|vitamin d|b12
		)(?: level| count)?s?(?: of| is| was| at| a| à| de| von|,)?[ :=]{1,2}[<>]? ?\d
	`),
	new RegExp(verbose`
		\d ?(?:mg|mcg|µg|ml|units?|iu|ie|puffs?|tabs?|tablets?|drops|caps?)\b[^.\n]{0,20}\b(?:
			od|bd|bid|tds|tid|qds|qid|om|nocte|prn|po|iv|im|sc|stat|daily|nightly|weekly|fortnightly|at night|at bedtime
			|every (?:day|other|morning|evening|night|\d{1,2})|(?:once|twice|three times|four times) (?:a|per|daily)
			|\d ?x ?(?:tgl|täglich|daily|dd|al|par|am)|per day|a day|al día|por día|par jour|al giorno|per dag|am tag
			|q\d{1,2}h|\d\/7|[01]-[01]-[01]
		)\b
	`),
	/\b(?:on|od|bd|tds|qds|bid|tid|po|iv|im|sc|prn|nocte)\b,? ?(?:[a-z]{5,20} \d{1,4} ?(?:mg|mcg)|$|[.,;])/,
	/\b(?:c\/o|o\/e|h\/o|s\/p|r\/o|f\/h)(?= |:)|\bx ?\d{1,2}\/(?:7|12|52)\b|\b\d{1,2}\/(?:7|12|52)\b/,
	/\b(?:pmhx?|fhx|shx|nkda|hpi|soboe|hx|dx|sx)\b|\bsob\b(?= on| at|,)/,
	new RegExp(verbose`
		(?:^|[\n.] ?)(?:
			cc|imp|impression|assessment|indication|findings?|referral reason|reason for referral|dispensed|wound check
			|tx plan|treatment plan|meds|medications?|allergies|procedure|diagnosis|soap|plan|hpi|therapie|atcd|dx|o\/e|exam
			|on examination|anamnese|befund|diagnose|beurteilung|motif|antécédents|anamnesis|history
		):
	`),
	AGE,
	SIDE,
	new RegExp(verbose`
		\b(?:grade|stage|grad|stadium|stade|estadio) (?:[1-4]|i{1,3}v?|iv)[abc]?\b
		|\b[lcts]\d{1,2}\/(?:[lcs]?\d)\b
		|\b(?:er|pr|her2|hpv|rh)[ -]?(?:positive|negative|neg\b|pos\b)
		|\bp?t[1-4][abc]?n[0-3]m?[01x]?\b
		|\bbi-?rads\b
		|\bgleason\b
		|\bnyha\b
		|\becog\b
		|\bst[- ]elevation\b
		|\bgcs:? ?\d
		|\bapgar\b
		|\bg\d ?p\d\b
		|\b[34]\d\+\d\b
	`),
	new RegExp(verbose`
		\b(?:
			post-?op(?:erative)?(?: day)?|pod ?#?\d|nil by mouth|npo|lap chole|cath lab|on room air|room air|drain output
			|to theatre|discharge (?:medication|summary|letter|diagnosis)|admission (?:note|diagnosis)|family (?:hx|history)
			|pleasant \d{1,2}|thank you for (?:seeing|referring)|stable overnight|vitals? stable|obs stable
			|wound (?:clean|dry|healing)|discharged? home|peaked t
			|(?:ct|mri|xr|cxr|usg) (?:head|chest|abdo\w{0,4}|spine|brain|pelvis|neck|knee)|no acute|z\.n\.|prbc|edd
			|fundal height|rul|lll|rll|lul|review (?:in )?\d{1,2} ?(?:h|d|weeks?|days?)|date of service
			|prior auth(?:orization)?|wound care|verbandwechsel
		)\b
	`),
	PATIENT,
];

/** Phrases that say as much as the name of a condition. */
export const CLINICAL_PHRASES = new RegExp(
	verbose`
		\b(?:cluster|tension|constant|daily|chronic) headaches?
		|\bcame back (?:at )?\d
		|\boff (?:sick|ill)\b
		|\b(?:is|am|['’]m|['’]s|was|been) off with\b
		|\ben arrêt (?:pour|depuis)
		|\boff work (?:with|since|because|for)
		|\b(?:fatty|enlarged|inflamed|swollen|ruptured|infected|blocked) (?:
			liver|prostate|spleen|heart|lymph|tonsils|appendix|kidneys?|tendon|arter(?:y|ies)
		)
		|\bsleep (?:lab|study|clinic|apn)
		|\b(?:drank|drinks) (?:himself|herself)
		|\britzt sich
		|\bperd(?:u|ait)? la mémoire
		|\b(?:clean|sober) (?:for|since)\b
		|\bblind (?:in (?:one|the|my|his|her|both)|since)
		|\b(?:is|am|are|['’]m|['’]s|went|legally|nearly|almost|partially) (?:blind|deaf)\b(?! to| date| trial| spot)
		|\bwets? the bed
		|\bbed-?wetting
		|\bhead lice
		|\bhearing (?:is|was|loss)
		|\bstops? breathing
		|\b(?:double|triple|quadruple|heart|gastric) bypass
		|\b(?:got|gets|needs?|needed|had|has|with) (?:\w{1,10} )?stitches\b
		|\btrans\b[^.]{0,40}\bhormon
		|\breha nach
		|\b\p{L}{2,10}-op\b
		|\bneedle-?stick
		|\bon the (?:autis\w{1,3} )?spectrum\b
		|\b(?:panic|heart|asthma) attacks?\b
		|\b(?:kidney|gall) ?stones?\b
		|\bheart (?:failure|condition|murmur|disease|surgery|rhythm)
		|\btest(?:s|ed|ing)? (?:positive|negative) (?:for|to)
		|\bcame back (?:positive|pathogenic|malignant|abnormal|with)
		|\b(?:high|low) blood (?:pressure|sugar)
		|\bblood (?:clots?|transfusion|loss)\b
		|\bperiods? (?:(?:is|are|was|were) )?(?:\w{2,8} ){0,3}(?:late|heavy|painful|irregular|stopped)
		|\bmissed (?:my|her|a) period
		|\bc-section
		|\bsick (?:note|leave|certificate)(?! polic| entitle| rule| number| statist| rate| day| template)
		|\bunfit (?:for|to) work
		|\bsigned off (?:work|sick|for|with)
		|\bdoctor['’]?s (?:note|certificate)
		|\barrêt (?:maladie|de travail)
		|\bbaja (?:médica|laboral|por)
		|\batestado médico
		|\bcertificato medico
		|\b(?:broke|broken|fractured|dislocated|sprained|tore|torn|ruptured|shattered) (?:(?:his|her|my|their|a|an|the|left|right) ){0,2}(?:
			hips?|arms?|legs?|wrists?|ankles?|ribs?|collar ?bones?|elbows?|femur|tibia|pelvis|jaw|shoulders?|acl|ligaments?
			|menisc\w{1,3}|achilles|rotator cuff|hamstrings?|foot|toe|fingers?
		)(?!['’]s| of )
		|\b(?:slipped|herniated|prolapsed|bulging) disc
		|\b(?:end|ending|take|taking) (?:it all|my (?:own )?life|his (?:own )?life|her (?:own )?life)
		|\bthink(?:ing)? about ending it
		|\bkill (?:myself|himself|herself)\b
		|\b(?:self-harm|cuts? (?:myself|herself|himself))
		|\b(?:needs?|on|with) (?:home )?oxygen\b
		|\b(?:was|been|got) sectioned\b
		|\binsulin pump
		|\bwheelchair user
		|\blost (?:the|our|her|their) (?:baby|pregnancy)
		|\b(?:coil|iud|stent|implant|pacemaker) (?:was |has been )?(?:fitted|removed|put in|placed)
		|\b(?:keeps?|started) forgetting\b
		|\bmemory (?:loss|clinic)\b
		|\b(?:learning|physical|intellectual|severe|registered|permanent) (?:difficulties|disabilit(?:y|ies)|disabled)
		|\b(?:gastric|sleeve) (?:sleeve|band|bypass)
		|\bhearing aids?
		|\bsectioned (?:under|twice|once)
		|\b(?:is|was|were) born at \d{2} weeks
		|\b\d{1,2} weeks (?:pregnant|along|gestation)
		|\bimmune (?:system|deficien|compromis)\w{0,4} (?:is|are|patient)
		|\bgender (?:reassignment|dysphoria)
		|\bmental (?:breakdown|illness)
		|\bnervous breakdown
		|\bsuicide attempt
		|\bside effects? of (?:my|her|his)
		|\bmorning sickness
		|\bear infections?
		|\bchest infections?
		|\b(?:root canal|skin graft|bone marrow)\b
		|\bpositive (?:hiv|pregnancy|covid)
		|\balcoholic\b
		|\b(?:vaccinat|immuni[sz]at)\w{2,4} (?:record|card|status|history)
		|\b(?:mmr|hpv|bcg|dtap|tdap|covid|hepatitis b|flu|rabies|tetanus)\b[^.\n]{0,24}\b(?:dose|jab|shot|booster)\b
		|\bback in (?:detox|rehab)
		|\b(?:months|years|weeks|days) sober\b
		|\btransgender\b(?=[^.]{0,40}\bhormon)
	`,
	"u",
);

/** Distress and pain described without the name of a condition. */
export const DISTRESS = new RegExp(verbose`
	\b(?:can['’]?t|cannot|can barely|could not|couldn['’]t|barely|unable to) (?:
		sleep(?! (?:on|in)\b)|breathe|swallow|walk|stand up|move|feel (?:my|his|her)|hear|keep (?:food|anything) down
		|make out|get out of bed|remember|see|find words
	)
	|\b(?:throwing|threw|throws) up\b
	|\bpass(?:ed|ing) out\b
	|\bblack(?:ed|ing) out\b
	|\bracing heart\b
	|\bheart (?:is |was |keeps )?(?:racing|pounding)
	|\bshort of breath\b
	|\bcry(?:ing)? (?:all day|every|constantly|myself)
	|\bcries (?:all|every)
	|\bhear(?:s|ing)? voices\b
	|\bhands? shakes?\b
	|\btwo lines on the test\b
	|\bhangs? (?:limp|down)\b
	|\b(?:arm|leg|face) (?:hangs|droops|is numb|went numb)
	|\blost \d{1,2} ?(?:kg|kilos?|pounds|lbs?|stone)\b
	|\bhot and swollen\b
	|\bvery (?:pale|drowsy)\b
	|\bcalf is\b
`);

/** With a department or a doctor and a person, an appointment. */
export const APPOINTMENT = new RegExp(verbose`
	\b(?:
		appointments?|follow-?up|clinic|refer(?:red|ral|s)?|booked|scheduled|re-?schedule|seen by|under the care|review
		|discharged?|admitted|seeing|sees|saw|says?|said|told|called|visit|termine?|überweisung|cita|rendez-vous|rdv
		|visita|consulta|consulto|afspraak|verwezen|scan|bring|note to
	)\b
`);

/** Statements about nobody in particular: groups of people, definitions, fiction, research, software. */
export const GENERAL_STATEMENT = new RegExp(verbose`
	\b(?:
		patients|people|persons|adults|children|women|men|babies|infants|users|individuals|those|anyone|someone|somebody
		|everyone|nobody|customers|employees|students|doctors|nurses|clinicians|researchers|scientists|personas?|users
		|mice|rats|menschen|leute|kinder|frauen|männer|patienten|enfants|gens|femmes|hommes|personas|niños|mujeres|persone
		|bambini|pessoas|crianças|mensen|kinderen
	) (?:with|who|that|have|suffering|living|affected|taking|on|under|mit|die|avec|qui|con|que|che|com|met)\b
	|\b(?:
		causes?|symptoms?|signs?|treatments?|types?|stages?|risk factors?|prevention|epidemiology|definition|mechanism
		|management|overview|pathophysiology|effects|benefits|risks|costs?|price|difference
	) (?:of|for|between|in)\b
	|\bwhat causes\b
	|\b(?:presidency|legacy|biograph(?:y|ies)|century|emperors?|composers?|painters?)\b
	|\b(?:is|are) (?:an? |the )(?:\w{3,12} ){0,2}(?:
		disease|disorder|condition|syndrome|infection|allergy
	)s? (?:of|that|which|in|caused|where)
	|\b\w{4,14}-sized\b
	|\bheadaches? (?:for|of)\b
	|\bpain points?\b
	|^\W{0,3}(?:\w{2,8},? ){0,2}what (?:is|are|does|do|was|were|causes?|happens (?:if|when) (?:a|you|someone))\b
	|^\W{0,3}(?:\w{2,8},? ){0,2}(?:how|why) (?:
		do|does|is|are|was|were|long|common|many|much|dangerous
	) (?!(?:i|my|she|he|her|his|we)\b)
	|\bexplain\b(?! (?:to|that|this))
	|^\W{0,3}(?:(?:please|can you|could you) )?(?:
		describe|summari[sz]e|compare|define|list|name|discuss|outline
	)\b (?!(?:it|him|her|my|his|:))
	|\b(?:
		essay|articles?|blog|quiz|poem|song|novel|fiction\w{0,2}|film|movie|tv|series|podcast|flyer|poster|newsletter
		|brochure|leaflet|campaign|awareness|guidelines?|textbook|lecture|seminar|curriculum|exam|thesis|dissertation
		|documentary|scene|protagonist|characters?|metaphor\w{0,5}|zodiac|startup|dataset|cohort|prevalence|incidence
		|trial|trials|charity|fundrais\w{2,4}|reference range|normal range|simulat\w{1,5}|unit tests?|schema|endpoint
		|parser|classifier|regression|dashboard|repository|compiler|deploy\w{0,5}|software|server|codebase|code base
	)\b
	|\b(?:
		was ist|was sind|wie (?:wirkt|funktioniert|lange|viele)|welche|erkläre|qu['’]est-ce|quels? (?:est|sont)
		|quelles? (?:est|sont)|explique[rz]?|qué es|qué son|cuáles son|cómo (?:funciona|se)|cos['’]è|quali sono
		|spiega(?:mi)?|o que é|quais são|wat (?:is|zijn|kost)|leg uit
	)\b
`);

/** Before a term, it makes it a topic of work: a book on it. */
export const TOPIC_PREPOSITION =
	/\b(?:on|into|against|towards?|su|sur|sull['’a]\w{0,2}|over|for|of|de|von|di) (?:(?:the|a|an|our|new|rare|childhood|chronic|breast|lung) ){0,2}$/;

/** Before a term, it always makes it a topic. */
export const ABOUT_PREPOSITION =
	/\b(?:about|regarding|concerning|über|sobre|whether|that) (?:(?:the|a|an|our|new|rare|childhood|chronic|breast|lung) ){0,2}$/;

/** Works on a topic: papers, courses, products. */
export const WORK_ON_TOPIC = new RegExp(verbose`
	\b(?:
		papers?|books?|talks?|research\w{0,3}|courses?|stud(?:y|ies|ied|ying)|writ(?:es|ing|ten)
		|write(?!
			 (?:
				to|it|(?:\w{1,10} ){0,3}(?:notes?|letters?|e-?mails?|mails?|messages?|complaints?|reply|texts?|sms|card|word)
			)\b
		)
		|wrote|teach(?:es|ing)?|taught|speaks?|spoke|speech|reads?|reading|film\w{0,3}|projects?
		|work(?:s|ing|ed)? (?:on|in|at|as|with)|app|models?|products?|report|reports|presentation|slides|expert
		|speciali[sz]\w{1,4}|funding|donat\w{1,4}|interested|curious|learn\w{0,4}|news|question|fragen?|podcast|cure
		|drugs?|vaccine
	)\b
`);

/** The first person: a term after it is the writer's own. */
export const FIRST_PERSON =
	/\b(?:i(?:['’](?:m|ve|d|ll))?(?!\.)|my|me|mein(?:e[nmrs]?)?|mich|mir|ich|je|mon|ma|mes|mi|mis|yo|io|mio|mia|miei|mie|ho|sono|eu|meu|minha|ik|mijn|estou|tenho|estoy|tengo)\b|\bj['’]/;

/** Since when or how often. */
export const TIME_SPAN = new RegExp(verbose`
	\b(?:
		since|for (?:\w{1,8} ){1,2}(?:days?|weeks?|months?|years?)|(?:days?|weeks?|months?|hours?) (?:ago|after|now|late)
		|after (?:the|my|her|his)|every (?:morning|night|day|time|hour)|all (?:day|night|morning)|this morning|yesterday
		|last (?:night|week|month)|again|getting worse|seit|depuis|desde|sinds|da (?:due|tre|ieri|giorni|una)|há|gestern
		|gisteren|hier|ayer|ieri|ontem|al levantarse
	)\b
`);

/** Animals: their health is not personal data. */
export const ANIMALS = new RegExp(verbose`
	\b(?:
		dogs?|cats?|kittens?|pupp(?:y|ies)|horses?|pon(?:y|ies)|hamsters?|rabbits?|guinea pigs?|parrots?|cows?|goats?
		|sheep|chickens?|vets?|veterinar\w{2,4}|pets?|hund(?:es?|in)?|katzen?|kater|pferde?s?|chiens?|chatte?|cheval
		|perr[oa]s?|gat[oa]s?|caballos?|cane|gatt[oa]|cachorr[oa]|hond|kat|paard
	)\b
`);

/** Scores of scales, blood groups, refraction and dosing schedules: only patients have them. */
export const PATIENT_ONLY = new RegExp(verbose`
	\b(?:
		phq-?9|gad-?7|mmse|moca|gaf|edss|nihss|barthel|bdi|madrs|ham-?d|braden|epds|gds
	)\b(?: (?:score|index|total))?(?: of| is| was|:)? ?\d{1,3}\b
	|\b[a-z]{5,20}(?: \d{1,4}(?: ?mg)?)?,? [0-2]-[0-2]-[0-2](?:-[0-2])?\b
	|\b(?:od|os|sph|sphere):? [+-]\d{1,2}\.\d{2}\b
	|\bblood (?:group|type):? (?:ab|[abo])\b[ -]?(?:neg|pos|rh|[+-])
	|\bgtpal:? ?\d
`);

/** A doctor, and what they did. */
export const TREATMENT_BY_DOCTOR = new RegExp(
	verbose`
		\b(?:my|his|her|our|mein[e]?|mon|ma|mi|mio|mia|il mio|o meu|a minha|mijn|the|['’]s) (?:\p{L}{2,12} )?(?:
			doctors?|doc|gp|psychiatrist|therapist|oncologist|surgeon|cardiologist|neurologist|dermatologist|gyna?ecologist
			|urologist|dentist|midwife|nurse|physician|paediatrician|pediatrician|specialist|consultant|arzt|ärztin|hausarzt
			|hausärztin|psychiater\p{L}{0,2}|therapeut\p{L}{0,2}|médecin|psychiatre|médico|médica|psiquiatra|dottore
			|dottoressa|dokter|huisarts
		)\b (?:has |have |had |just |also )?(?:(?:wants?|needs?) to|put|raised|lowered|upped|increased|reduced|changed|prescribed|found|thinks|thought|suspects?|recommend\p{L}{0,2}|referred|signed|diagnosed|removed|stopped|started|switched|says? (?:
			i|my|he|she|it
		)|said (?:i|my|he|she|it)|told (?:me|him|her)|will operate|hat|meint|sagt|verschreibt|m['’]a|me ha|mi ha|heeft)\b
	`,
	"u",
);

/** Organs that people mention as their own only when something is wrong with them. */
export const OWN_ORGAN = new RegExp(verbose`
	\b(?:my|his|her|['’]s|meine?[rnms]?|seine?[rnms]?|ihre?[rnms]?|mon|ma|mes|mi|mis|mio|mia|miei|meu|minha|mijn) (?:left |right |lower |upper )?(?:
		lungs?|liver|gallbladder|kidneys?|prostate|ovar(?:y|ies)|uterus|womb|cervix|colon|bowels?|thyroid|pancreas|spleen
		|bladder|retina|testicles?|tonsils|appendix|sinuses|eardrum|lunge|leber|gallenblase|niere|nieren|prostata
		|gebärmutter|schilddrüse|foie|vésicule|reins|hígado|riñ[oó]n(?:es)?|pulm[oó]n(?:es)?|fegato|reni|polmoni|fígado
		|rins|lever|nieren
	)\b
`);

/** People named by a role: the baby, the tenant, the witness; in addition to those of health-subjects.ts. */
export const PEOPLE_BY_ROLE = new RegExp(verbose`
	^\W{0,3}(?:
		wife|husband|hubby|son|daughter|mother|father|brother|sister|nephew|niece|uncle|aunt|partner|colleague|insured
		|claimant|employee|tenant
	)(?:['’]s)? |\b(?:
		(?:the|our|this|that) (?:\w{3,10} )?(?:
			baby|newborn|toddler|infant|boy|girl|kid|child|man|woman|lady|gentleman|guy|tenant|lodger|cleaner|driver
			|passenger|guest|witness|defendant|accused|insured|deceased|victim|trainee|apprentice|candidate|pupil|au pair
		)
		|co-?worker|teammate|flatmate|housemate|roommate|hubby|stepson|stepdaughter|gran(?:dad|dpa|ddad|dma|ny|ny)|mum|mom
		|dad|daddy|auntie|the twins|(?:unser|der|die|das) (?:kleine|junge|bub|baby|kind)|le petit|la petite
		|(?:el|la) (?:niñ[oa]|bebé)|il bambino|la bambina|o bebê|het kind|de baby
	)\b
`);

/** A request or a wish: the term is its topic. */
export const REQUEST = new RegExp(verbose`
	^\W{0,3}(?:give|tell|show|find|write|make|list)\b
	|\b(?:
		want|wants|would like|['’]d like|wish|need (?:a|an|to|some|help)|plan|create|build|design|recommend|suggest
		|understand|know|wonder\w{0,3}|heard|read|möchte|will|wüsste|veux|voudrais|cherche|quiero|quisiera|necesito un
		|busco|vorrei|voglio|cerco|quero|gostaria|wil|zou
	)\b
`);
